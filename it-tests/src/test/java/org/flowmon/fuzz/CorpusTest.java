package org.flowmon.fuzz;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Each target takes its seeds and the committed inputs, those of earlier findings among them. */
class CorpusTest {
  @TestFactory
  Stream<DynamicTest> everyCommittedInputIsTakenOrRefusedByTheFormatsError() {
    return FuzzTargets.all().stream()
        .map(target -> DynamicTest.dynamicTest(target.name(), () -> takesItsCorpus(target)));
  }

  private static void takesItsCorpus(FuzzTarget target) throws Exception {
    List<byte[]> inputs = Corpus.of(target);
    assertFalse(inputs.isEmpty());
    for (byte[] input : inputs) {
      try {
        Limits.check(target, input);
      } catch (Exception | Error e) {
        throw new AssertionError(
            target.name() + ": " + HexFormat.of().formatHex(input) + ": " + e, e);
      }
    }
  }
}
