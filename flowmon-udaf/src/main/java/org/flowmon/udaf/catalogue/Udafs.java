package org.flowmon.udaf.catalogue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.text.NameSuggestions;
import org.jspecify.annotations.Nullable;

/** The class path's functions, by name. Immutable. */
public final class Udafs {
  private static final Pattern NAME = Pattern.compile("[A-Z][A-Z0-9_]*");

  private final Map<String, Udaf> functions;

  private Udafs(Map<String, Udaf> functions) {
    this.functions = functions;
  }

  /**
   * Loads the functions that a class loader sees, including flowmon's own.
   *
   * @throws UdafException if two have the same name, or a name is invalid or reserved
   */
  public static Udafs load(ClassLoader loader) {
    List<Udaf> found = new ArrayList<>();
    try {
      ServiceLoader.load(Udaf.class, loader).forEach(found::add);
    } catch (ServiceConfigurationError e) {
      UdafException error =
          new UdafException("the aggregate functions cannot be listed: " + e.getMessage());
      error.initCause(e);
      throw error;
    }
    return of(found);
  }

  public static Udafs of(Collection<? extends Udaf> functions) {
    Map<String, Udaf> byName = new TreeMap<>();
    for (Udaf function : functions) {
      String owner = function.getClass().getName();
      requireName(owner, "a function", function.name());
      if (isOfDialect(function.name())
          || Arrays.stream(AggregateFunction.values())
              .anyMatch(known -> known.name().equals(function.name()))) {
        throw new UdafException(
            String.format(
                "%s has a function '%s', a name of the dialect: give it another name",
                owner, function.name()));
      }
      Udaf other = byName.put(function.name(), function);
      if (other != null) {
        throw new UdafException(
            String.format(
                "both %s and %s have a function '%s': give one of them another name",
                other.getClass().getName(), owner, function.name()));
      }
      Set<String> extractors = new HashSet<>();
      for (Extractor extractor : function.extractors()) {
        requireName(owner, "an extractor", extractor.name());
        if (isOfDialect(extractor.name())) {
          throw new UdafException(
              String.format(
                  "%s has an extractor '%s', a name of the dialect: give it another name",
                  owner, extractor.name()));
        }
        if (!extractors.add(extractor.name())) {
          throw new UdafException(
              String.format(
                  "%s has two extractors '%s' of %s: give one of them another name",
                  owner, extractor.name(), function.name()));
        }
      }
    }
    requirePairs(byName);
    return new Udafs(byName);
  }

  /** Requires that no function of two states has a name with another meaning. */
  private static void requirePairs(Map<String, Udaf> byName) {
    Set<String> taken = new HashSet<>(byName.keySet());
    for (Udaf function : byName.values()) {
      function.extractors().forEach(extractor -> taken.add(extractor.name()));
    }
    for (Udaf function : byName.values()) {
      Set<String> own = new HashSet<>(Set.of(Union.UNION.name()));
      for (PairFunction pair : function.pairs()) {
        String owner = function.getClass().getName();
        requireName(owner, "a function of two states", pair.name());
        if (isOfDialect(pair.name()) || taken.contains(pair.name()) || !own.add(pair.name())) {
          throw new UdafException(
              String.format(
                  "%s has a function of two states '%s', a name that is taken: give it another"
                      + " name",
                  owner, pair.name()));
        }
      }
    }
  }

  private static boolean isOfDialect(String name) {
    return FunctionCatalogue.RESERVED.contains(name);
  }

  private static void requireName(String owner, String what, String name) {
    if (name == null || !NAME.matcher(name).matches()) {
      throw new UdafException(
          String.format(
              "%s has %s '%s'; expected upper-case letters, digits and _, beginning with a"
                  + " letter",
              owner, what, name));
    }
  }

  /** The functions of two states of a function. */
  public List<PairFunction> pairs(Udaf function) {
    List<PairFunction> all = new ArrayList<>(function.pairs());
    all.add(Union.UNION);
    return all;
  }

  /** The function of {@link #pairs} with this name; throws {@link UdafException} without. */
  PairFunction pair(Udaf function, String name) {
    for (PairFunction pair : pairs(function)) {
      if (pair.name().equals(name.toUpperCase(Locale.ROOT))) {
        return pair;
      }
    }
    throw new UdafException(
        String.format(
            "states of %s have no function '%s'; expected one of %s",
            function.name(),
            name,
            pairs(function).stream().map(PairFunction::name).collect(Collectors.joining(", "))));
  }

  /**
   * Binds a call of a function of two states; the name is in any case.
   *
   * @param parameters the arguments after the states
   * @throws UdafException if there is none of this name, or it rejects the parameters
   */
  public PairFunction.Bound bindPair(
      BoundUdaf function, String name, List<UdafCall.Argument> parameters) {
    PairFunction pair = pair(get(function.call().name()), name);
    return pair.bind(function, new UdafCall(pair.name(), pair.signature(), parameters));
  }

  /** Ordered by name. */
  public Collection<Udaf> all() {
    return functions.values();
  }

  /** Takes a name in any case; null if there is none. */
  public @Nullable Udaf find(String name) {
    return functions.get(name.toUpperCase(Locale.ROOT));
  }

  /** Takes a name in any case; throws {@link UdafException} if there is none. */
  public Udaf get(String name) {
    Udaf function = find(name);
    if (function == null) {
      String near = NameSuggestions.nearest(name, functions.keySet());
      throw new UdafException(
          String.format(
              "no aggregate function '%s'; %s",
              name,
              near == null
                  ? "expected one of " + String.join(", ", functions.keySet())
                  : "did you mean '" + near + "'?"));
    }
    return function;
  }

  /**
   * Binds a call; the name is in any case.
   *
   * @throws UdafException if there is no such function, or it rejects the arguments
   */
  public BoundUdaf bind(String name, List<UdafCall.Argument> arguments) {
    Udaf function = get(name);
    return function.bind(new UdafCall(function.name(), function.signature(), arguments));
  }

  /**
   * Binds a call of an extractor; the name is in any case.
   *
   * @param parameters the arguments after the state
   * @throws UdafException if the function has no such extractor, or it rejects the parameters
   */
  public BoundExtractor bindExtractor(
      BoundUdaf function, String name, List<UdafCall.Argument> parameters) {
    Udaf owner = get(function.call().name());
    List<String> names = new ArrayList<>();
    for (Extractor extractor : owner.extractors()) {
      if (extractor.name().equals(name.toUpperCase(Locale.ROOT))) {
        return extractor.bind(
            function, new UdafCall(extractor.name(), extractor.signature(), parameters));
      }
      names.add(extractor.name());
    }
    throw new UdafException(
        String.format(
            "states of %s have no extractor '%s'; expected one of %s",
            owner.name(), name, String.join(", ", names)));
  }
}
