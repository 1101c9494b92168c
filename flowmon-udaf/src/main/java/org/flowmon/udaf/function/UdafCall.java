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

/** A call's arguments, read with errors that say what was expected. Immutable. */
public final class UdafCall {
  private final String name;
  private final String signature;
  private final List<Argument> arguments;

  /** The kind is null for the literal NULL, the constant if it is none. */
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

  public UdafCall with(List<Argument> others) {
    return new UdafCall(name, signature, others);
  }

  /**
   * An argument, {@code what} in errors, evaluated for each row, of the allowed kinds; if empty,
   * any but the literal NULL. Places are from 0.
   *
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

  /** {@code fallback} is the default; null if the call must give it. */
  public double decimal(int place, String what, @Nullable Double fallback, double min, double max) {
    if (place >= arguments.size() && fallback != null) {
      return fallback;
    }
    Value value = constant(place, what);
    String expected = what + " to be a number from " + plain(min) + " to " + plain(max);
    ValueKind kind = value.kind();
    double number = value.asDouble();
    if (kind == null || !kind.isNumber() || !(number >= min && number <= max)) {
      throw error(place, expected, value.toString());
    }
    return number;
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }

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

  /** The word of {@code allowed}, in any case; without {@code fallback} the call must give it. */
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
