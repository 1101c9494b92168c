package org.flowmon.bench.systems;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.flowmon.bench.harness.Row;

/**
 * One value of each factor of the study.
 *
 * @param fields types of addresses and times (table 5 of the study)
 * @param indexes the group of indexes, made before the first row (table 6)
 * @param transaction rows of a transaction
 */
record Combination(String data, String fields, String indexes, String transaction) {
  /** The value of a factor of which a system has but one kind. */
  static final String OWN = "own";

  /** Factors that a system may have. Data are a factor of all. */
  enum Factor {
    FIELDS,
    INDEXES,
    TRANSACTIONS
  }

  /** Values of the factors, each of which meets each other. */
  record Values(
      List<String> data, List<String> fields, List<String> indexes, List<String> transactions) {
    /** All combinations for a system that has these factors. */
    List<Combination> combinations(Set<Factor> factors) {
      List<Combination> all = new ArrayList<>();
      for (String one : data) {
        for (String rows : of(factors, Factor.TRANSACTIONS, transactions)) {
          for (String types : of(factors, Factor.FIELDS, fields)) {
            for (String group : of(factors, Factor.INDEXES, indexes)) {
              all.add(new Combination(one, types, group, rows));
            }
          }
        }
      }
      return all;
    }

    private static List<String> of(Set<Factor> factors, Factor factor, List<String> values) {
      return factors.contains(factor) ? values : List.of(OWN);
    }
  }

  /** Whether each row is a transaction, which takes long. */
  boolean isRowByRow() {
    return transaction.equals("1");
  }

  /** Whether transactions have so many rows, or those of the system. */
  boolean hasTransaction(String rows) {
    return transaction.equals(rows) || transaction.equals(OWN);
  }

  /** A row that begins with these values. */
  Row row(String system) {
    return new Row()
        .put("data", data)
        .put("system", system)
        .put("fields", fields)
        .put("indexes", indexes)
        .put("transaction", transaction);
  }
}
