package org.flowmon.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig.Source;
import org.flowmon.jobs.enrich.EnrichmentFiles;

/**
 * Files that are joined to flows: each is used, or refused by one line that names it. Not the rules
 * over names: Jazzer takes every regular expression from outside for a fault.
 */
final class EnrichmentFuzz implements FuzzTarget {
  private static final int MAX_BYTES = 1 << 18;

  @Override
  public String name() {
    return "enrichment";
  }

  @Override
  public String about() {
    return "files in MaxMind's format, CSV and rules for traffic that are joined to flows";
  }

  private static byte[] seed(Source source, byte[] bytes) {
    byte[] seed = new byte[bytes.length + 1];
    seed[0] = (byte) source.ordinal();
    System.arraycopy(bytes, 0, seed, 1, bytes.length);
    return seed;
  }

  @Override
  public List<byte[]> seeds() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    try (InputStream in = EnrichmentFuzz.class.getResourceAsStream("/enrich/as.mmdb")) {
      byte[] mmdb = Objects.requireNonNull(in).readAllBytes();
      seeds.add(seed(Source.AS, mmdb));
      seeds.add(seed(Source.COUNTRY, mmdb));
    }
    Map<Source, String> texts =
        Map.of(
            Source.NETWORKS, "network,name\n10.0.0.0/8,a\n10.1.0.0/16,\"b\"\n2001:db8::/32,c\n",
            Source.EXPORTERS, "exporter,name\n10.0.0.1,edge1\n",
            Source.INTERFACES, "exporter,index,name,description\n10.0.0.1,1,xe-0,Transit: A\n",
            Source.PORTS, "protocol,port,name\ntcp,443,web\n",
            Source.TRAFFIC,
                """
                inside: [10.0.0.0/8, "2001:db8::/32"]
                direction: [networks, flow_direction]
                duplicates:
                  - {from: [outside], count: {exporters: [192.0.2.1], flow_direction: ingress}}
                """);
    texts.forEach((source, text) -> seeds.add(seed(source, text.getBytes(StandardCharsets.UTF_8))));
    return seeds;
  }

  @Override
  public long cpuLimit(byte[] input) {
    return 500_000_000L + 1_000_000L * (input.length / 1024 + 1);
  }

  @Override
  public void run(byte[] input) throws IOException {
    if (input.length < 1 || input.length > MAX_BYTES) {
      return;
    }
    Source source = Source.values()[(input[0] & 0xff) % Source.values().length];
    if (source == Source.CLASSES) {
      return;
    }
    try (ScratchFolder folder = new ScratchFolder()) {
      Path file = folder.file("input", Arrays.copyOfRange(input, 1, input.length));
      List<String> log = new ArrayList<>();
      EnrichmentFiles files =
          new EnrichmentFiles(
              new EnrichmentConfig(Map.of(source, file.toString()), Duration.ofDays(1)), log::add);
      files.refresh(); // an unchanged file is not read again
      ExportsFuzz.require(
          log.size() <= 1 && log.stream().allMatch(line -> line.contains("input")),
          "expected at most one line that names the file, found " + log);
    }
  }
}
