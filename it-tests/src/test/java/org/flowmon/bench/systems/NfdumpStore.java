package org.flowmon.bench.systems;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * nfdump: nfcapd stores, nfdump answers. It cannot count by slots: for A it prints the start of
 * each flow.
 */
final class NfdumpStore extends CollectorStore {
  private static final DateTimeFormatter WINDOW =
      DateTimeFormatter.ofPattern("uuuu/MM/dd.HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  NfdumpStore(Path parent) {
    super(parent);
  }

  @Override
  List<String> collector(Path folder, int port) {
    // One file, unless the load takes an hour.
    String options = "nfcapd -b 127.0.0.1 -p " + port + " -B 4194304 -t 3600 -w";
    return words(options, folder.toString());
  }

  @Override
  public List<long[]> answer(StudyQuery query) throws Exception {
    if (query == StudyQuery.A) {
      return StudyQuery.slots(
          nfdump("fmt:%tsr").stream().mapToLong(line -> (long) Double.parseDouble(line)));
    }
    String keys = "srcip,dstip,srcport,dstport,proto,tos";
    String window = time(StudyQuery.FROM) + "-" + time(StudyQuery.TO);
    return nfdump(
            "fmt:%sa,%da,%sp,%dp,%pr,%tos,%fl,%byt,%pkt", "-t", window, "-A", keys, "-O", "bytes")
        .stream()
        .map(line -> numbers(List.of(line.strip().split(" *, *", -1))))
        .toList();
  }

  private static String time(long seconds) {
    return WINDOW.format(Instant.ofEpochSecond(seconds));
  }

  /** Runs nfdump with plain numbers, without title and summary. */
  private List<String> nfdump(String format, String... more) throws Exception {
    List<String> command = words("nfdump -N -q -R", folder().toString(), "-o", format);
    command.addAll(List.of(more));
    return Programs.lines(Programs.of(command)).stream().filter(line -> !line.isBlank()).toList();
  }

  @Override
  public String settings() throws Exception {
    return Programs.lines(Programs.of(List.of("nfdump", "-V"))).get(0) + "; not compressed";
  }
}
