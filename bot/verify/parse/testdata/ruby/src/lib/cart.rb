module Shop
  class Cart
    def self.total(prices)
      prices.sum { |p| p.fetch(:price) } # at: deep
    end
  end
end
