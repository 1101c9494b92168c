package org.flowmon.udaf.text;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Suggests names for mistyped ones. */
public final class NameSuggestions {
  private NameSuggestions() {}

  /** By the fewest changed letters, case aside; null beyond three or half of the name. */
  public static @Nullable String nearest(String name, Collection<String> known) {
    String lower = name.toLowerCase(Locale.ROOT);
    String best = null;
    int bestDistance = Math.min(4, 1 + name.length() / 2);
    for (String candidate : known) {
      int distance = distance(lower, candidate.toLowerCase(Locale.ROOT), bestDistance);
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best;
  }

  private static int distance(String a, String b, int limit) {
    if (Math.abs(a.length() - b.length()) >= limit) {
      return limit;
    }
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
