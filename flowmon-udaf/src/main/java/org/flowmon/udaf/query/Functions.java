package org.flowmon.udaf.query;

import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** The catalogue of aggregate functions at hand. */
final class Functions {
  /** What is found where this class comes from; no functions where there is none. */
  static final FunctionCatalogue CATALOGUE =
      ServiceLoader.load(FunctionCatalogue.class, FunctionCatalogue.class.getClassLoader())
          .findFirst()
          .orElse(new None());

  private Functions() {}

  static boolean isFunction(String name) {
    return CATALOGUE.functions().contains(name);
  }

  /** The functions whose states something of this name takes values out of. */
  static List<String> withExtractor(String name) {
    return CATALOGUE.functions().stream()
        .filter(function -> CATALOGUE.extractors(function).contains(name))
        .toList();
  }

  /** All that may be called, for suggestions. */
  static Set<String> names() {
    Set<String> names = new TreeSet<>(CATALOGUE.functions());
    CATALOGUE.functions().forEach(function -> names.addAll(CATALOGUE.extractors(function)));
    names.addAll(Set.of("LOWER", "UPPER"));
    return names;
  }

  private static final class None implements FunctionCatalogue {
    @Override
    public Set<String> functions() {
      return Set.of();
    }

    @Override
    public Set<String> extractors(String function) {
      return Set.of();
    }

    @Override
    public String signature(String function) {
      throw new IllegalArgumentException(function);
    }

    @Override
    public void check(String function, List<Expression> arguments) {
      throw new CallException("no function " + function, -1);
    }

    @Override
    public Approximation.Way exact(StateValue value) {
      return Approximation.Way.UNKNOWN;
    }

    @Override
    public Gives check(
        String function, List<Expression> arguments, String extractor, List<Expression> params) {
      throw new CallException("no function " + function, -1);
    }
  }
}
