package org.flowmon.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;

/** An archive of two small segments with its derived files, as bytes by name. */
final class SmallArchive {
  private static final List<Query> QUERIES =
      List.of(
          QueryParser.parseQuery("SELECT * FROM flows ORDER BY arrival"),
          QueryParser.parseQuery(
              "SELECT src_addr, COUNT(*), SUM(bytes) FROM flows GROUP BY src_addr ORDER BY"
                  + " src_addr"),
          QueryParser.parseQuery(
              "SELECT arrival, service FROM flows WHERE src_addr = '10.0.0.3' ORDER BY arrival"),
          QueryParser.parseQuery(
              "SELECT dst_port, COUNT(*) FROM flows WHERE dst_addr IN '10.0.0.0/29'"
                  + " GROUP BY dst_port ORDER BY dst_port"));

  private final Map<String, byte[]> files = new TreeMap<>();

  SmallArchive() throws IOException {
    try (ScratchFolder folder = new ScratchFolder()) {
      Path root = folder.path().resolve("a");
      try (Archive archive = Archive.create(root, new ArchiveOptions(2, 16))) {
        for (int i = 0; i < 2; i++) {
          archive.commit(
              ArchiveCommit.ofRanges(
                  List.of(
                      archive.seal(
                          archive.newSegmentWriter(),
                          List.of(FuzzFlows.batch(i + 1, 150 - 130 * i)),
                          Provenance.of("fuzz", "1"))),
                  List.of(new SourceRange("fuzz:0", i, i + 1, FuzzFlows.START + i * 60_000_000L)),
                  "fuzz"));
        }
        archive.updateDirectory(false, () -> false);
      }
      try (Stream<Path> all = Files.walk(root)) {
        for (Path file : all.filter(Files::isRegularFile).toList()) {
          if (!file.toString().contains("leases")) {
            files.put(root.relativize(file).toString(), Files.readAllBytes(file));
          }
        }
      }
    }
  }

  /** The names of its files that have this in them. */
  List<String> names(String part) {
    return files.keySet().stream().filter(name -> name.contains(part)).toList();
  }

  byte[] bytes(String name) {
    return files.get(name);
  }

  /** Writes it with one file in another's place and answers all queries. */
  String ask(String name, byte[] bytes, boolean verify) throws IOException {
    try (ScratchFolder folder = new ScratchFolder()) {
      Path root = folder.path().resolve("a");
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Path to = root.resolve(file.getKey());
        Files.createDirectories(to.getParent());
        Files.write(to, file.getKey().equals(name) ? bytes : file.getValue());
      }
      try (Archive archive = Archive.open(root);
          ArchiveSnapshot snapshot = archive.snapshot()) {
        List<String> answers = new ArrayList<>();
        for (Query query : QUERIES) {
          answers.add(
              ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS.withVerifyChecksums(verify))
                  .table()
                  .toString());
        }
        return String.join("\n", answers);
      }
    }
  }
}
