package org.flowmon.udaf.function;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a call of a function or extractor, and how to read them with errors that say
 * what was expected. Immutable.
 */
public final class UdafCall {
  private final String name;
  private final String signature;
  private final List<Argument> arguments;

  /**
   * An argument.
   *
   * @param kind of its values; null for the literal NULL
   * @param constant its value if it is a constant, else null
   */
  public record Argument(@Nullable ValueKind kind, @Nullable Value constant) {
    public static Argument ofRows(@Nullable ValueKind kind) {
      return new Argument(kind, null);
    }

    public static Argument of(Value constant) {
      return new Argument(constant.kind(), constant);
    }

    @Override
    public String toString() {
      return constant == null ? String.valueOf(kind) : constant.toString();
    }
  }

  /**
   * A call.
   *
   * @param name of the function or extractor
   * @param signature as {@link Udaf#signature}
   */
  public UdafCall(String name, String signature, List<Argument> arguments) {
    this.name = name;
    this.signature = signature;
    this.arguments = List.copyOf(arguments);
  }

  public String name() {
    return name;
  }

  public List<Argument> arguments() {
    return arguments;
  }

  public int size() {
    return arguments.size();
  }

  /** This call with other arguments, such as one with its defaults filled in. */
  public UdafCall with(List<Argument> others) {
    return new UdafCall(name, signature, others);
  }

  /**
   * The kind of an argument that is evaluated for each row.
   *
   * @param place from 0
   * @param what its name in errors
   * @param allowed its allowed kinds; if empty, any but the literal NULL
   * @throws UdafException if it is missing, or of another kind
   */
  public ValueKind rows(int place, String what, ValueKind... allowed) {
    if (place >= arguments.size()) {
      throw missing(what);
    }
    ValueKind kind = arguments.get(place).kind();
    if (kind == null || (allowed.length > 0 && !Arrays.asList(allowed).contains(kind))) {
      String kinds =
          allowed.length == 0
              ? "something else than NULL"
              : Arrays.stream(allowed).map(ValueKind::name).collect(Collectors.joining(" or "));
      throw error(place, what + " to be " + kinds, kind == null ? "NULL" : kind.toString());
    }
    return kind;
  }

  /**
   * A number parameter.
   *
   * @param fallback its default; null if the call must give it
   */
  public double decimal(int place, String what, @Nullable Double fallback, double min, double max) {
    if (place >= arguments.size() && fallback != null) {
      return fallback;
    }
    Value value = constant(place, what);
    String expected = what + " to be a number from " + plain(min) + " to " + plain(max);
    if (value.isNull() || !value.kind().isNumber()) {
      throw error(place, expected, value.toString());
    }
    double number = value.asDouble();
    if (!(number >= min && number <= max)) {
      throw error(place, expected, value.toString());
    }
    return number;
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }

  /**
   * A whole-number parameter.
   *
   * @param fallback its default; null if the call must give it
   */
  public long whole(int place, String what, @Nullable Long fallback, long min, long max) {
    if (place >= arguments.size() && fallback != null) {
      return fallback;
    }
    Value value = constant(place, what);
    if (value.kind() != ValueKind.LONG || value.low() < min || value.low() > max) {
      throw error(
          place, what + " to be a whole number from " + min + " to " + max, value.toString());
    }
    return value.low();
  }

  /**
   * A parameter that is one of some words, in any case.
   *
   * @param fallback its default; null if the call must give it
   * @return the matching word of {@code allowed}
   */
  public String word(int place, String what, @Nullable String fallback, String... allowed) {
    if (place >= arguments.size() && fallback != null) {
      return fallback;
    }
    Value value = constant(place, what);
    if (value.kind() == ValueKind.TEXT) {
      for (String word : allowed) {
        if (word.equals(value.text().toLowerCase(Locale.ROOT))) {
          return word;
        }
      }
    }
    throw error(
        place, what + " to be one of '" + String.join("', '", allowed) + "'", value.toString());
  }

  /** A parameter of any kind; it may be NULL. */
  public Value constant(int place, String what) {
    if (place >= arguments.size()) {
      throw missing(what);
    }
    Value value = arguments.get(place).constant();
    if (value == null) {
      throw error(place, what + " to be a constant", arguments.get(place).toString());
    }
    return value;
  }

  /** Checks that there are at most so many arguments. */
  public void atMost(int count) {
    if (arguments.size() > count) {
      throw error(
          count,
          count == 1 ? "one argument" : "at most " + count + " arguments",
          String.valueOf(arguments.size()));
    }
  }

  private UdafException missing(String what) {
    return new UdafException(
        signature + ": expected " + what + ", found " + arguments.size() + " arguments");
  }

  /** An error about an argument. */
  public UdafException error(int place, String expected, String found) {
    return new UdafException(signature + ": expected " + expected + ", found " + found, place);
  }

  /** The call as in a query, with kinds in place of row arguments. */
  @Override
  public String toString() {
    List<String> texts = new ArrayList<>();
    arguments.forEach(argument -> texts.add(argument.toString()));
    return name + "(" + String.join(", ", texts) + ")";
  }
}
