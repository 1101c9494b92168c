package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** What the past of hosts, and their networks, add to {@code scans}. */
class FirstContactIT {
  /** The rules that a table compares: by what it calls them. */
  private static Map<String, AnalysisRun> habitRules(List<FlowBatch> flows) {
    Map<String, AnalysisRun> rules = new LinkedHashMap<>();
    String[] atItsEnd = {"slide: 1h", "slide: 24h"};
    rules.put("`scans`", AnalysisRun.withPast(flows, "scans", atItsEnd));
    rules.put(
        "first contact alone",
        AnalysisRun.withPast(
            flows, "first_contact", "slide: 1h", "slide: 24h", "dead: 3.689", "dead: 1.386"));
    rules.put("`first_contact`", AnalysisRun.withPast(flows, "first_contact", atItsEnd));
    return rules;
  }

  @Test
  void whatAHostHasDoneForADayIsNoFirstContact() throws IOException {
    PlantedHabits habits = new PlantedHabits();
    List<FlowBatch> flows = habits.flows();
    Map<String, Set<String>> named = new LinkedHashMap<>();
    habitRules(flows)
        .forEach(
            (rule, run) -> {
              ResultTable last = run.report(flows, PlantedHabits.END);
              named.put(rule, AnalysisRun.named(last, "scan", "src_addr"));
            });
    List<String> lines = new ArrayList<>();
    for (PlantedHabits.Host host : habits.hosts()) {
      StringBuilder line = new StringBuilder("| " + host.what());
      line.append(host.isScanner() ? " | scanner" : " | innocent");
      named.values().forEach(all -> line.append(all.contains(host.address()) ? " | named" : " | "));
      lines.add(line + " |");
    }
    lines.forEach(System.out::println);
    for (PlantedHabits.Host host : habits.hosts()) {
      boolean isNamed = named.get("`first_contact`").contains(host.address());
      assertEquals(host.isScanner() || host.isNew(), isNamed, host.toString());
    }
    DetectionPage.check("<!-- DetectionIT, habits -->", lines);
  }

  private static String network(String address) {
    IpAddress of = IpAddress.parse(address);
    return new IpPrefix(of, of.isIpv4() ? 24 : 64).first().toString();
  }

  @Test
  void networksOutsideNameThoseWhoAreFewTriesEach() throws IOException {
    List<String> lines = new ArrayList<>();
    Set<String> counted = new TreeSet<>();
    for (LabelledSet set : LabelledSet.all()) {
      if (set.attackers().isEmpty() || !counted.add(set.name())) {
        continue;
      }
      List<FlowBatch> flows = set.flows();
      Set<String> networks =
          AnalysisRun.withoutPast("scan_networks").named(flows, "scan", "prefix");
      Set<String> attackers = set.scanners(1);
      Set<String> wronged = new TreeSet<>(networks);
      attackers.forEach(attacker -> wronged.remove(network(attacker)));
      assertEquals(Set.of(), wronged, set.name());
      if (set.name().equals("stratosphere 008") || set.name().equals("stratosphere 010")) {
        Set<String> hosts = AnalysisRun.withoutPast("scans").named(flows, "scan", "src_addr");
        hosts.retainAll(attackers);
        long either =
            attackers.stream()
                .filter(a -> hosts.contains(a) || networks.contains(network(a)))
                .count();
        lines.add(
            "| %s | %d | %d | %d | %d | %d |"
                .formatted(
                    set.name(),
                    attackers.size(),
                    hosts.size(),
                    networks.size(),
                    attackers.stream().filter(a -> networks.contains(network(a))).count(),
                    either));
        assertTrue(either > hosts.size(), lines.toString());
      }
    }
    lines.forEach(System.out::println);
    DetectionPage.check("<!-- DetectionIT, networks -->", lines);
  }
}
