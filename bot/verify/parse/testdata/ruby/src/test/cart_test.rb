require "minitest/autorun"
require "cart"

module Priced
  def test_inherited
    assert_nil 1 # at: inherited
  end
end

class CartTest < Minitest::Test
  include Priced

  def test_passes = assert_equal(0, Shop::Cart.total([]))

  def test_wrong
    assert_equal 15, Shop::Cart.total([{ price: 8 }]), "why" # at: wrong
  end

  def test_deep = Shop::Cart.total([{}])

  def test_skips = skip("later")
end

describe Shop::Cart do
  describe "total" do
    it "is wrong: a > b" do
      _(Shop::Cart.total([])).must_equal 3 # at: spec
    end
  end
end
