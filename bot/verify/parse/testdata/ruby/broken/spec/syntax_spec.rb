RSpec.describe "x" do
  it "a" do
end # at: syntax
