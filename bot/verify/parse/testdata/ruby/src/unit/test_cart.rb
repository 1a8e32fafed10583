require "test/unit"
require "cart"

class CartTest < Test::Unit::TestCase
  def test_passes
    assert_equal 0, Shop::Cart.total([])
  end

  test "is wrong: a > b" do
    assert_equal 15, Shop::Cart.total([{ price: 8 }]) # at: wrong
  end

  def test_deep
    Shop::Cart.total([{}])
  end

  data("three" => 3)
  def test_data(n)
    assert { n == 4 } # at: data
  end

  def test_omits
    omit "later"
  end
end
