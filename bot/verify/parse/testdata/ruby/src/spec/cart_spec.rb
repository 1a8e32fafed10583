require "cart"
require "timeout"

RSpec.describe Shop::Cart do
  it("passes") { expect(described_class.total([])).to eq 0 }

  describe ".total" do
    it "is wrong: a > b" do
      expect(described_class.total([{ price: 8 }])).to eq 15 # at: wrong
    end

    it { expect(described_class.total([])).to be > 3 } # at: untitled
  end

  it("goes deep") { described_class.total([{}]) }
  it("is slow") { Timeout.timeout(0.01) { sleep } } # at: slow
  it("skips", skip: "later") { raise "no" }
  it("pends") { pending "later"; raise "no" }

  it "is pending no more" do # at: pending
    pending "later"
  end

  it "has two", :aggregate_failures do
    expect(1).to eq 2 # at: two
    expect(3).to eq 4
  end

  it("mocks") { expect(described_class).to receive(:total).once } # at: mocks

  context "with a hook" do
    before { raise ArgumentError, "no hook" } # at: hook
    it("is not reached") {}
  end
end
