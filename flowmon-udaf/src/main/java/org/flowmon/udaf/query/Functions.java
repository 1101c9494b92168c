package org.flowmon.udaf.query;

import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.udaf.text.QueryException;
import org.jspecify.annotations.Nullable;

/** The catalogue of available aggregate functions. */
public final class Functions {
  private static @Nullable FunctionCatalogue catalogue;

  private Functions() {}

  /**
   * The one that this class's loader finds, else one without functions.
   *
   * @throws QueryException if a function on the class path is invalid
   */
  public static synchronized FunctionCatalogue catalogue() {
    if (catalogue == null) {
      catalogue = load(FunctionCatalogue.class.getClassLoader());
    }
    return catalogue;
  }

  static FunctionCatalogue load(ClassLoader loader) {
    try {
      return ServiceLoader.load(FunctionCatalogue.class, loader).findFirst().orElse(new None());
    } catch (ServiceConfigurationError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      QueryException error =
          new QueryException("the aggregate functions cannot be listed: " + cause.getMessage());
      error.initCause(e);
      throw error;
    }
  }

  public static boolean isFunction(String name) {
    return catalogue().functions().contains(name);
  }

  public static List<String> withExtractor(String name) {
    return catalogue().functions().stream()
        .filter(function -> catalogue().extractors(function).contains(name))
        .toList();
  }

  public static boolean isPair(String name) {
    return catalogue().pairs().contains(name);
  }

  public static Set<String> names() {
    Set<String> names = new TreeSet<>(catalogue().functions());
    catalogue().functions().forEach(function -> names.addAll(catalogue().extractors(function)));
    names.addAll(catalogue().pairs());
    names.addAll(Set.of("LOWER", "UPPER", "MERGE"));
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
    public void check(String function, List<Expression> arguments) {
      throw new CallException("no function " + function, -1);
    }

    @Override
    public String laterDefault(String function, int arguments) {
      return "";
    }

    @Override
    public Way exact(String function, String extractor) {
      return Way.UNKNOWN;
    }

    @Override
    public boolean isExact(String function, List<Expression> arguments) {
      throw new IllegalArgumentException("no function " + function);
    }

    @Override
    public List<Expression> exactArguments(String function, List<Expression> arguments) {
      throw new IllegalArgumentException("no function " + function);
    }

    @Override
    public Way exactOfPair(String function, String pair) {
      return Way.UNKNOWN;
    }

    @Override
    public Set<String> pairs() {
      return Set.of();
    }

    @Override
    public List<String> withPair(String pair) {
      return List.of();
    }

    @Override
    public boolean givesState(String pair, String function) {
      return false;
    }

    @Override
    public StateType states(String function, List<Expression> arguments) {
      throw new IllegalArgumentException(function);
    }

    @Override
    public boolean canMerge(StateType a, StateType b) {
      return false;
    }

    @Override
    public Gives check(String pair, StateType type, List<Expression> parameters) {
      throw new CallException("no function " + pair, -1);
    }

    @Override
    public FunctionCatalogue.StateEvaluation evaluation(Expression.OfStates call) {
      throw new IllegalArgumentException(call.toString());
    }

    @Override
    public Gives check(
        String function, List<Expression> arguments, String extractor, List<Expression> params) {
      throw new CallException("no function " + function, -1);
    }
  }
}
