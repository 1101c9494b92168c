package org.flowmon.bench.systems;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.systems.FlowData.Diversity;
import org.flowmon.bench.systems.Layout.Fields;
import org.flowmon.bench.systems.Layout.Indexes;

/** One combination of the factors, for one system. */
record Combination(SystemKind system, Diversity diversity, Layout layout) {
  private static final String OWN = "own";

  /** The values of each factor; the first of each is its base. */
  record Chosen(
      List<Diversity> diversities,
      List<Fields> fields,
      List<Indexes> indexes,
      List<Integer> transactions) {
    /** Indexes of the combinations that vary transactions: group 0 if it is among them. */
    private Indexes baseIndexes() {
      return indexes.contains(Indexes.SINGLE) ? Indexes.SINGLE : indexes.get(0);
    }

    /**
     * All combinations that a system has, in their order.
     *
     * @param full whether each value meets each other; else, beside the base of diversity and
     *     transactions, fields meet indexes, and a factor varies while the others keep their base
     */
    List<Combination> of(SystemKind system, boolean full) {
      boolean isAll = system.factors() == SystemKind.Factors.ALL;
      List<Fields> someFields = isAll ? fields : List.of(Fields.NATIVE);
      List<Indexes> someIndexes = isAll ? indexes : List.of(Indexes.NONE);
      List<Integer> someTransactions =
          system.factors() == SystemKind.Factors.NONE
              ? transactions.subList(0, 1)
              : transactions;
      List<Combination> all = new ArrayList<>();
      for (Diversity diversity : diversities) {
        for (int transaction : someTransactions) {
          for (Fields types : someFields) {
            for (Indexes group : someIndexes) {
              boolean isOther = !diversity.equals(diversities.get(0));
              boolean isOtherTransaction = transaction != transactions.get(0);
              boolean isBase = types == someFields.get(0);
              boolean isWanted =
                  full
                      || (isOtherTransaction
                          ? !isOther && isBase && (!isAll || group == baseIndexes())
                          : !isOther || isBase);
              if (isWanted) {
                all.add(new Combination(system, diversity, new Layout(types, group, transaction)));
              }
            }
          }
        }
      }
      return all;
    }
  }

  /** A row that begins with the factors. */
  Row row() {
    boolean isAll = system.factors() == SystemKind.Factors.ALL;
    return new Row()
        .put("data", diversity.label())
        .put("system", system.label())
        .put("fields", isAll ? layout.fields().label() : OWN)
        .put("indexes", isAll ? layout.indexes().label() : OWN)
        .put(
            "transaction",
            system.factors() == SystemKind.Factors.NONE ? OWN : (Object) layout.transaction());
  }

  @Override
  public String toString() {
    return String.join(", ", row().values().values().stream().map(String::valueOf).toList());
  }
}
