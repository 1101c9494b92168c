package org.flowmon.udaf.slots;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ContractCase;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.FunctionContract;
import org.flowmon.udaf.function.TestRows;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** SLOTS keeps to the contract, and its answers are those of a set of numbers. */
public class SlotsContractTest extends FunctionContract {
  private final Udafs functions = Udafs.load(getClass().getClassLoader());

  @Override
  protected Udaf owner() {
    return functions.find("SLOTS");
  }

  @Override
  protected List<ContractCase> cases() {
    return Stream.of(ValueKind.LONG, ValueKind.DOUBLE).map(this::of).toList();
  }

  private ContractCase of(ValueKind kind) {
    BoundUdaf function = functions.bind("SLOTS", List.of(Argument.ofRows(kind)));
    BoundExtractor count = functions.bindExtractor(function, "COUNT", List.of());
    BoundExtractor pattern = functions.bindExtractor(function, "PATTERN", List.of());
    return new ContractCase(
        function,
        List.of(count, pattern),
        (rows, state, where) -> check(rows, state, count, pattern, where));
  }

  private static void check(
      TestRows rows, SuperState state, BoundExtractor count, BoundExtractor pattern, String where) {
    SortedSet<Integer> slots = new TreeSet<>();
    for (int row = 0; row < rows.size(); row++) {
      Value value = rows.value(0, row);
      for (int slot = 0; slot < 64 && !value.isNull(); slot++) {
        if (value.asDouble() >= slot && value.asDouble() < slot + 1) {
          slots.add(slot);
        }
      }
    }
    StringBuilder signs = new StringBuilder();
    for (int slot = 0; !slots.isEmpty() && slot <= slots.last(); slot++) {
      signs.append(slots.contains(slot) ? "#" : ".");
    }
    assertEquals(Estimate.exact(Value.ofLong(slots.size())), count.extract(state), where);
    Value drawn = slots.isEmpty() ? Value.NULL : Value.ofText(signs.toString());
    assertEquals(Estimate.exact(drawn), pattern.extract(state), where);
  }
}
