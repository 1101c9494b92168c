package org.flowmon.ingest.file;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.flowmon.ingest.file.binary.GoFlowBytes;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Flows per second of one thread, from a file to the bytes of batches. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class SourceBenchmark {
  private static final int FLOWS = 100_000;

  /** The last flow of the program's sample, with other addresses and ports in each line. */
  @Param({
    "suricata",
    "nfdump",
    "goflow2",
    "pmacct",
    "argus",
    "aws",
    "gcp",
    "flow-export",
    "protobuf"
  })
  public String source;

  private Path file;

  @Setup
  public void setUp() throws IOException {
    file = Files.createTempFile("flows", "");
    Files.write(file, source.equals("protobuf") ? messages() : lines());
    ParallelFlowReader reader = (ParallelFlowReader) FlowFiles.open(file);
    FileSummary summary = reader.read(1, batch -> {});
    if (summary.rows() != FLOWS) {
      throw new IllegalStateException(summary.toString());
    }
  }

  private static byte[] messages() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < FLOWS; i++) {
      out.writeBytes(GoFlowBytes.flow(1024 + i % 60_000).delimited());
    }
    return out.toByteArray();
  }

  private byte[] lines() {
    Random random = new Random(20261125);
    List<String> sample = SampleTexts.all().get(source).lines().toList();
    boolean hasHeader = List.of("nfdump", "argus", "flow-export").contains(source);
    int flow =
        switch (source) {
          case "suricata", "pmacct", "nfdump" -> 1;
          case "argus" -> 2;
          default -> hasHeader ? 1 : 0;
        };
    StringBuilder text = new StringBuilder(hasHeader ? sample.get(0) + '\n' : "");
    for (int i = 0; i < FLOWS; i++) {
      String address = "10." + random.nextInt(256) + '.' + random.nextInt(256) + ".7";
      text.append(
              sample
                  .get(flow)
                  .replaceFirst("(10|172|192|203)\\.\\d+\\.\\d+\\.\\d+", address)
                  .replaceFirst("(52000|443|4000|55202|20641|51234|1024|59537)", "" + i % 65_536))
          .append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  @TearDown
  public void tearDown() throws IOException {
    Files.delete(file);
  }

  @Benchmark
  @OperationsPerInvocation(FLOWS)
  public void readAndBuildBatches(Blackhole out) throws IOException {
    ((ParallelFlowReader) FlowFiles.open(file)).read(1, batch -> out.consume(batch.bytes()));
  }
}
