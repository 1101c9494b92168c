package org.flowmon.udaf.text;

import java.util.Set;

/** Words that cannot be names unless they are quoted. */
public final class Keywords {
  private static final Set<String> WORDS =
      Set.of(
          "SELECT",
          "FROM",
          "WHERE",
          "GROUP",
          "BY",
          "ORDER",
          "LIMIT",
          "AND",
          "OR",
          "NOT",
          "IN",
          "IS",
          "BETWEEN",
          "NULL",
          "TRUE",
          "FALSE",
          "CASE",
          "WHEN",
          "THEN",
          "ELSE",
          "END",
          "AS",
          "ASC",
          "DESC",
          "NULLS",
          "INTERVAL",
          "TIMESTAMP",
          "ADDRESS",
          "DISTINCT",
          "HAVING",
          "UNION",
          "JOIN",
          "LIKE",
          "OFFSET");

  private Keywords() {}

  public static boolean contains(String upperCaseWord) {
    return WORDS.contains(upperCaseWord);
  }
}
