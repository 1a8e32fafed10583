require "nowhere/cart" # at: load
