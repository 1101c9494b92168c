package org.flowmon.jobs.config;

import java.util.Collection;
import java.util.regex.Pattern;
import org.flowmon.udaf.text.NameSuggestions;

/** The names that files give to analyses, alerts, webhooks and sites. */
public final class Names {
  public static final String RULE =
      "lower-case letters, digits and _, at most 48, beginning with a letter";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,47}");

  private Names() {}

  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** Returns the end of an error: the known word next to a misspelt one, if there is one. */
  public static String didYouMean(String word, Collection<String> known) {
    return didYouMean(word, known, "");
  }

  public static String didYouMean(String word, Collection<String> known, String then) {
    String nearest = NameSuggestions.nearest(word, known);
    return nearest == null ? "" : "; did you mean '" + nearest + "'" + then + "?";
  }
}
