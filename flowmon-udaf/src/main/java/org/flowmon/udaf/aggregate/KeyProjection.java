package org.flowmon.udaf.aggregate;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.Not;
import org.jspecify.annotations.Nullable;

/**
 * Makes the groups of a list of keys from the groups of finer keys, for counts of values: each key
 * is one of the finer ones, or {@link #replaced} by a COALESCE that begins with it. That has the
 * key's value in each row in which the key is not NULL.
 *
 * <pre>
 *   finer keys:  client, server, COALESCE(port, 65536 + protocol)
 *   keys:        client,         port           rows in which port is NULL do not count
 * </pre>
 */
public final class KeyProjection {
  private final int[] places;
  private final long counted;
  private final List<Expression> replaced;

  private KeyProjection(int[] places, long counted, List<Expression> replaced) {
    this.places = places;
    this.counted = counted;
    this.replaced = List.copyOf(replaced);
  }

  /**
   * Null if a key does not follow from the finer ones. Keys that are no {@code arguments} may be
   * NULL, and are finer keys themselves.
   */
  public static @Nullable KeyProjection of(
      List<Expression> keys, List<Expression> arguments, List<Expression> finer) {
    int[] places = new int[keys.size()];
    long counted = 0;
    List<Expression> replaced = new ArrayList<>();
    for (int k = 0; k < places.length; k++) {
      Expression key = keys.get(k);
      boolean isArgument = arguments.contains(key);
      places[k] = finer.indexOf(key);
      if (places[k] < 0 && isArgument) {
        places[k] = placeOfCoalesce(key, finer);
        replaced.add(key);
      }
      if (places[k] < 0) {
        return null;
      }
      counted |= isArgument ? 1L << places[k] : 0;
    }
    return new KeyProjection(places, counted, replaced);
  }

  private static int placeOfCoalesce(Expression key, List<Expression> finer) {
    for (int f = 0; f < finer.size(); f++) {
      if (finer.get(f) instanceof Case choice
          && choice.kind() == key.kind()
          && choice.whens().get(0).result().equals(key)
          && choice.whens().get(0).condition().equals(new Not(new IsNull(key)))) {
        return f;
      }
    }
    return -1;
  }

  /** By key: its place among the finer ones. */
  public int[] places() {
    return places.clone();
  }

  /** By bit: the finer keys that are not NULL in groups that count. */
  public long counted() {
    return counted;
  }

  /** Keys that must not be NULL in a row that counts. */
  public List<Expression> replaced() {
    return replaced;
  }
}
