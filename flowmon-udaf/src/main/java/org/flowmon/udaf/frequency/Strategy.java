package org.flowmon.udaf.frequency;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** A low half and a matching high half. */
record Strategy(Low low, High high) {
  /** Lists no item that may have no rows. */
  static final Strategy DEFAULT = new Strategy(Low.AUTO, High.FREQUENT);

  /** Of a call that gives a depth, which only sketches have. */
  static final Strategy WITH_DEPTH = new Strategy(Low.AUTO, High.ADAPTIVE);

  /** The strategy of the low level. */
  enum Low {
    /** One of the next three, chosen by the low level: a high half takes pairs of any of them. */
    AUTO,
    BUFFER,
    HASH,
    COMPRESS,
    SKETCH
  }

  /** The strategy of the high level. */
  enum High {
    SKETCH,
    DIRECT,
    ADAPTIVE,
    FREQUENT
  }

  private boolean goTogether() {
    return (low == Low.SKETCH) == (high == High.SKETCH);
  }

  static List<Strategy> all() {
    List<Strategy> all = new ArrayList<>();
    for (Low low : Low.values()) {
      for (High high : High.values()) {
        Strategy strategy = new Strategy(low, high);
        if (strategy.goTogether()) {
          all.add(strategy);
        }
      }
    }
    return all;
  }

  /** Reads the parameter {@code 'low/high'}. */
  static Strategy parse(UdafCall call, int place) {
    Value value = call.constant(place, "a strategy");
    if (value.kind() == ValueKind.TEXT) {
      String text = value.text().toLowerCase(Locale.ROOT);
      for (Low low : Low.values()) {
        for (High high : High.values()) {
          Strategy strategy = new Strategy(low, high);
          if (strategy.toString().equals(text)) {
            if (!strategy.goTogether()) {
              throw call.error(
                  place,
                  low == Low.SKETCH
                      ? "'sketch/sketch': the low half gives sketches, which only the high half"
                          + " 'sketch' adds up"
                      : "'sketch/sketch': the high half adds up sketches, which only the low half"
                          + " 'sketch' gives",
                  value.toString());
            }
            return strategy;
          }
        }
      }
    }
    StringBuilder names = new StringBuilder();
    all().forEach(s -> names.append(names.isEmpty() ? "'" : ", '").append(s).append('\''));
    throw call.error(place, "a strategy, one of " + names, value.toString());
  }

  @Override
  public String toString() {
    return (low + "/" + high).toLowerCase(Locale.ROOT);
  }
}
