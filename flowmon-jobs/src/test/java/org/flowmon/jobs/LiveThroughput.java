package org.flowmon.jobs;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.JobConfig;

/**
 * Flows per second from a filled topic to top k, for work on the job itself: {@code flowmon bench
 * live} is what one runs otherwise. Arguments: millions of flows, parallelism, runs, lz4 or none.
 * Kafka's properties as {@code -Dkafka=a: b, c: d}.
 */
public final class LiveThroughput {
  private static final int PARTITIONS = 4;
  private static final int ROWS = 1000;

  private LiveThroughput() {}

  public static void main(String[] args) throws Exception {
    int millions = Integer.parseInt(args[0]);
    int parallelism = Integer.parseInt(args[1]);
    int runs = Integer.parseInt(args[2]);
    Path directory = Files.createTempDirectory("live-throughput");
    try (EmbeddedKafka kafka = new EmbeddedKafka(directory)) {
      kafka.createTopic("flows", PARTITIONS);
      long bytes = fill(kafka, millions * 1_000_000L, args[3]);
      System.out.printf(Locale.ROOT, "%d bytes a flow%n", bytes / (millions * 1_000_000L));
      for (int i = 0; i < runs; i++) {
        run(kafka, parallelism, millions * 1_000_000L);
      }
    }
  }

  private static void run(EmbeddedKafka kafka, int parallelism, long flows) throws Exception {
    Configuration options = new Configuration();
    options.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(16));
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, options);
    JobConfig config =
        JobConfig.parse(
            "bench",
            "kafka: {bootstrap: '"
                + kafka.bootstrap()
                + "', properties: {"
                + System.getProperty("kafka", "")
                + "}}\njob: {role: analyses, bounded: true, parallelism: "
                + parallelism
                + "}\n");
    FlowmonJob.build(env, config, AnalysisConfig.bundled());
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpu = system.getProcessCpuTime();
    long start = System.nanoTime();
    env.execute("bench");
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%.2f s, %.2f Mflows/s, %.3f us CPU a flow (broker and job)%n",
        seconds,
        flows / seconds / 1e6,
        (system.getProcessCpuTime() - cpu) / 1e3 / flows);
  }

  private static long fill(EmbeddedKafka kafka, long flows, String compression) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", kafka.bootstrap());
    settings.put("compression.type", compression);
    settings.put("batch.size", "524288");
    settings.put("linger.ms", "10");
    long bytes = 0;
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      Random random = new Random(1);
      FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
      long arrival = TestFlow.START;
      for (long b = 0; b < flows / ROWS; b++) {
        builder.clear();
        for (int i = 0; i < ROWS; i++) {
          arrival += 5; // 200,000 flows a second
          row(builder, random, arrival);
        }
        int partition = (int) (b % PARTITIONS);
        byte[] batch = builder.build(partition, b / PARTITIONS, (b / PARTITIONS + 1) * ROWS, 0);
        bytes += batch.length;
        var unused = producer.send(new ProducerRecord<>("flows", partition, null, batch));
      }
    }
    return bytes;
  }

  private static void row(FlowBatchBuilder builder, Random random, long arrival) {
    builder.beginRow();
    int host = (int) (100_000 * Math.pow(random.nextDouble(), 4));
    builder.set(FlowColumn.ARRIVAL, arrival);
    builder.set(FlowColumn.EXPORT_TIME, arrival - arrival % 1000);
    builder.set(FlowColumn.END_TIME, arrival - random.nextInt(900_000));
    builder.set(FlowColumn.START_TIME, arrival - 1_000_000 - random.nextInt(900_000));
    builder.set(FlowColumn.DURATION, random.nextInt(900_000));
    builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A00_0000 + host);
    builder.setIpv4(FlowColumn.DST_ADDR, random.nextInt(1 << 16) * 31);
    builder.set(FlowColumn.SRC_PORT, 1024 + random.nextInt(60_000));
    builder.set(FlowColumn.DST_PORT, random.nextInt(100));
    builder.set(FlowColumn.PROTOCOL, random.nextInt(4) == 0 ? 17 : 6);
    builder.set(FlowColumn.BYTES, 40 + random.nextInt(100_000));
    builder.set(FlowColumn.PACKETS, 1 + random.nextInt(100));
    builder.set(FlowColumn.TCP_FLAGS, random.nextInt(64));
    builder.set(FlowColumn.TOS, 0);
    builder.set(FlowColumn.OUTGOING, random.nextInt(2));
    builder.setIpv4(FlowColumn.EXPORTER, 0xC000_0201);
    builder.set(FlowColumn.SOURCE_KIND, 1);
    builder.set(FlowColumn.INPUT_IF, random.nextInt(8));
    builder.set(FlowColumn.OUTPUT_IF, random.nextInt(8));
    builder.set(FlowColumn.OBSERVATION_DOMAIN, 1);
    builder.endRow();
  }
}
