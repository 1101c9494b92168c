package org.flowmon.udaf.function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of a user's function keeps to the contract of every function. */
class ExampleContractTest extends FunctionContract {
  private static final List<UdafCall.Argument> CALL =
      List.of(UdafCall.Argument.ofRows(ValueKind.LONG));

  @TempDir Path folder;
  private URLClassLoader loader;
  private Udafs functions;

  @BeforeEach
  void compile() throws Exception {
    loader = Example.compile(folder);
    functions = Udafs.load(loader);
  }

  @AfterEach
  void close() throws Exception {
    loader.close();
  }

  @Override
  protected Udaf owner() {
    return functions.find("BITS_SEEN");
  }

  @Override
  protected List<ContractCase> cases() {
    BoundUdaf function = functions.bind("bits_seen", CALL);
    BoundExtractor bits = functions.bindExtractor(function, "bits", List.of());
    ContractCase.Oracle oracle =
        (rows, state, where) -> {
          long expected = 0;
          for (int i = 0; i < rows.size(); i++) {
            expected |= rows.value(0, i).low();
          }
          assertEquals(Estimate.exact(Value.ofLong(expected)), bits.extract(state), where);
        };
    return List.of(new ContractCase(function, List.of(bits), oracle));
  }

  @Test
  void aFunctionOfOnesOwnIsFoundAsAService() {
    assertEquals("BitsSeen", owner().getClass().getName());
    assertNull(Udafs.load(getClass().getClassLoader()).find("BITS_SEEN"));
  }
}
