RSpec.describe Nowhere do # at: name
end
