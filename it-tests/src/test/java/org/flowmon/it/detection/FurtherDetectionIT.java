package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/**
 * The further analyses that need no past, over the same real traffic as the scans: tunnels are
 * found, and nothing is where nobody attacks. {@code docs/detection.md} has the sets in which
 * somebody is named.
 */
class FurtherDetectionIT {
  /** Each with its verdicts and who is named. */
  private static final Map<String, List<String>> ANALYSES = new LinkedHashMap<>();

  static {
    ANALYSES.put("ddos", List.of("dst_addr", "amplification", "syn_flood", "flood"));
    ANALYSES.put("brute_force", List.of("src_addr", "brute_force", "broken_in"));
    ANALYSES.put("dns_tunnels", List.of("src_addr", "tunnel"));
    ANALYSES.put("icmp_tunnels", List.of("src_addr", "tunnel"));
  }

  /** Who is to be found, by set and analysis. */
  private static final Map<String, Set<String>> KNOWN =
      Map.of(
          "dns tunnel, dns_tunnels", Set.of("10.0.2.30"),
          "dns exfiltration, dns_tunnels", Set.of("192.168.220.56"),
          "icmp tunnel, icmp_tunnels", Set.of("192.168.154.131"));

  /** Of nobody who scans. */
  private static final LabelledSet STOLEN =
      new LabelledSet(
          "dns exfiltration",
          List.of("labelled/tunnels/dns_exfiltration.pcap"),
          LabelledSet.Form.AS_READ,
          Optional.of(Map.of()),
          Optional.empty());

  private static Set<String> named(String analysis, List<FlowBatch> batches) {
    List<String> columns = ANALYSES.get(analysis);
    Set<String> named = new TreeSet<>();
    for (ResultTable rows : AnalysisRun.withoutPast(analysis).reports(batches).values()) {
      for (String verdict : columns.subList(1, columns.size())) {
        named.addAll(AnalysisRun.named(rows, verdict, columns.get(0)));
      }
    }
    return named;
  }

  @Test
  void tunnelsAreFoundAndNothingWhereNobodyAttacks() throws IOException {
    List<String> lines = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    Set<String> seen = new TreeSet<>();
    List<LabelledSet> sets = new ArrayList<>(LabelledSet.all());
    sets.add(STOLEN);
    for (LabelledSet set : sets) {
      List<FlowBatch> batches = set.flows();
      StringBuilder line = new StringBuilder("| " + set.name());
      boolean isAnybodyNamed = false;
      for (String analysis : ANALYSES.keySet()) {
        Set<String> named = named(analysis, batches);
        line.append(" | ").append(named.size());
        isAnybodyNamed |= !named.isEmpty();
        Set<String> known = KNOWN.getOrDefault(set.name() + ", " + analysis, Set.of());
        assertTrue(named.containsAll(known), set.name() + ", " + analysis + ": " + named);
        if (set.attackers().isPresent()) {
          Set<String> others = set.innocents(named);
          others.removeAll(known);
          others.forEach(host -> wrong.add(set.name() + ", " + analysis + ": " + host));
        }
      }
      if (isAnybodyNamed && seen.add(line.toString())) {
        lines.add(line + " |");
      }
    }
    lines.forEach(System.out::println);
    assertEquals(List.of(), wrong, "named, and attack nobody");
    DetectionPage.check("<!-- FurtherDetectionIT -->", lines);
  }
}
