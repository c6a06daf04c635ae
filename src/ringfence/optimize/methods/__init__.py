"""One file a method; its name, with dashes, is the optimizer's."""
