package org.flowmon.deploy.sketch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.Flowmon;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.catalogue.ExportedState;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.io.TempDir;

/** Files of states for flowmon sketch. */
abstract class SketchFixture {
  static final long SEED = 20261122;

  static final Udafs FUNCTIONS = Udafs.load(SketchCommandTest.class.getClassLoader());

  @TempDir Path folder;

  static BoundUdaf function(String name, ValueKind... kinds) {
    return FUNCTIONS.bind(name, Arrays.stream(kinds).map(Argument::ofRows).toList());
  }

  /** Exports the state of rows with a value for each argument: numbers, or IPv4 addresses. */
  static byte[] state(BoundUdaf function, long[][] rows) {
    List<Argument> arguments = function.call().arguments().subList(0, function.arguments());
    SubAggregate low = function.subAggregate();
    SuperState state = function.superAggregate().initialize();
    StateSink sink = new StateSink();
    long[] pad = new long[low.words()];
    low.initialize(pad, 0);
    for (long[] row : rows) {
      Vector[] vectors = new Vector[arguments.size()];
      for (int a = 0; a < vectors.length; a++) {
        vectors[a] = new Vector(arguments.get(a).kind());
        boolean isAddress = arguments.get(a).kind() == ValueKind.ADDRESS;
        vectors[a].values()[0] = isAddress ? IpAddress.ipv4Low((int) row[a]) : row[a];
        vectors[a].setAllValid(1);
      }
      while (low.iterate(vectors, new int[1], 0, 1, pad, new int[1], 0) == 0) {
        sink.clear();
        low.output(pad, 0, sink);
        state.merge(sink.reader("a sub-state"));
        low.initialize(pad, 0);
      }
    }
    sink.clear();
    low.output(pad, 0, sink);
    state.merge(sink.reader("a sub-state"));
    return ExportedState.of(function, state).toBytes();
  }

  static long[][] numbers(long... values) {
    return Arrays.stream(values).mapToObj(value -> new long[] {value}).toArray(long[][]::new);
  }

  static String text(byte[] state) {
    return Base64.getEncoder().encodeToString(state);
  }

  Path file(String name, byte[]... states) throws Exception {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] state : states) {
      all.write(state);
    }
    return Files.write(folder.resolve(name), all.toByteArray());
  }

  Path textFile(String name, byte[]... states) throws Exception {
    List<String> lines = new ArrayList<>();
    for (byte[] state : states) {
      lines.add(text(state));
      lines.add(""); // empty lines are ignored
    }
    return Files.write(folder.resolve(name), lines);
  }

  static void assertFails(int code, String says, Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(code, run.code(), run::toString);
    assertTrue(run.err().contains(says), says + " in " + run.err());
    assertFalse(run.err().contains("a defect of flowmon"), run.err());
    assertEquals("", run.out());
  }

  /** The output of a command as a separate process. */
  String said(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-Dstdout.encoding=UTF-8", "-Dstderr.encoding=UTF-8"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Flowmon.class.getName()));
    command.addAll(List.of(arguments));
    Path said = folder.resolve("said");
    int code =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start()
            .waitFor();
    String all = Files.readString(said);
    assertEquals(3, code, all);
    return all;
  }
}
