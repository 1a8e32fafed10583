# Lists what Ruby's own parser sees in files: each line of the input is a path, each
# line of the output what oracle.py describes.
require "json"

def defs(node, out)
  return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
  kind, name = case node.type
    when :CLASS then ["class", node.children[0].children[1]]
    when :MODULE then ["module", node.children[0].children[1]]
    when :DEFN then ["method", node.children[0]]
    when :DEFS then ["method", node.children[1]]
  end
  out << [kind, name.to_s, node.first_lineno, node.last_lineno] if kind
  node.children.each { |c| defs(c, out) }
end

$stdout.sync = true
while (line = $stdin.gets)
  path = line.chomp
  begin
    out = []
    defs(RubyVM::AbstractSyntaxTree.parse(File.read(path, encoding: "UTF-8")), out)
    puts JSON.generate({file: path, error: nil, defs: out})
  rescue SyntaxError, ArgumentError, EncodingError => e
    puts JSON.generate({file: path, error: e.message.scrub[0, 200], defs: []})
  end
end
