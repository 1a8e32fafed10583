class SyntaxTest
  def test_x
end # at: syntax
