package org.flowmon.deploy.generate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import org.flowmon.deploy.generate.ScenarioFile.Transport;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.Hosts;
import org.flowmon.ingest.synthetic.scenario.Attack;
import org.flowmon.ingest.synthetic.scenario.Beacon;
import org.flowmon.ingest.synthetic.scenario.Flood;
import org.flowmon.ingest.synthetic.scenario.Scan;
import org.flowmon.ingest.synthetic.scenario.Scenario;
import org.flowmon.ingest.synthetic.scenario.Transfer;
import org.flowmon.jobs.config.YamlSection;

/** The attacks of a scenario. Parties that are not given follow from the seed. */
final class AttackKeys {
  private static final int OUTSIDE = 0xCB00_7100; // 203.0.113.0/24
  private static final int MAX_SOURCES = 131_072;

  private final Scenario.Run run;
  private final int insideHosts;
  private final SplittableRandom random;

  /** The kind of an attack. */
  enum Type {
    SCAN,
    BEACON,
    DDOS,
    EXFILTRATION,
    ELEPHANT
  }

  AttackKeys(Scenario.Run run, int insideHosts) {
    this.run = run;
    this.insideHosts = insideHosts;
    this.random = new SplittableRandom(run.seed() ^ 0x617474); // not that of the traffic
  }

  List<Attack> listOf(List<YamlSection> sections) {
    List<Attack> attacks = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (YamlSection section : sections) {
      Type type = section.choice("type", Type.class, Type.SCAN);
      String fallback = type.name().toLowerCase(Locale.ROOT) + "_" + (attacks.size() + 1);
      Attack.When when = when(section, fallback);
      if (!names.add(when.name())) {
        throw section.error("name", "'" + when.name() + "' is another attack's name, too");
      }
      attacks.add(attack(type, when, section));
      section.end();
    }
    return attacks;
  }

  private Attack.When when(YamlSection section, String fallback) {
    String name = section.name("name", section.text("name", "a name", fallback));
    Duration begin = section.duration("begin", Duration.ZERO);
    if (begin.compareTo(run.duration()) >= 0) {
      throw section.error(
          "begin",
          "expected less than the scenario's duration of "
              + YamlSection.text(run.duration())
              + ", found "
              + YamlSection.text(begin));
    }
    Duration rest = run.duration().minus(begin);
    return new Attack.When(name, begin, ScenarioFile.duration(section, "duration", rest, rest));
  }

  private Attack attack(Type type, Attack.When when, YamlSection section) {
    return switch (type) {
      case SCAN -> scan(when, section);
      case BEACON -> beacon(when, section);
      case DDOS -> flood(when, section);
      case EXFILTRATION -> transfer(when, section, true);
      case ELEPHANT -> transfer(when, section, false);
    };
  }

  private IpAddress inside() {
    return new IpAddress(0, Hosts.insideV4(random.nextInt(insideHosts)));
  }

  private IpAddress outside() {
    return IpAddress.ofIpv4(OUTSIDE | (1 + random.nextInt(254)));
  }

  private static IpAddress target(YamlSection section, IpAddress source, IpAddress otherwise) {
    IpAddress target = ScenarioFile.address(section, "target", otherwise);
    if (target.isIpv4() != source.isIpv4()) {
      throw section.error(
          "target", "expected an address of the family of source, " + source + ", found " + target);
    }
    return target;
  }

  private Attack scan(Attack.When when, YamlSection section) {
    IpAddress source = ScenarioFile.address(section, "source", outside());
    IpAddress subnet = IpAddress.ofIpv4(0x0A00_0001 | random.nextInt(256) << 8);
    IpAddress target = target(section, source, subnet);
    int firstPort = section.integer("first_port", 1, 65_535, 1);
    return new Scan(
        when,
        source,
        target,
        section.integer("hosts", 1, 1 << 24, 1),
        firstPort,
        section.integer("ports", 1, 65_536 - firstPort, Math.min(1_000, 65_536 - firstPort)),
        section.choice("protocol", Transport.class, Transport.TCP).number,
        section.decimal("flows_per_second", 0.0001, ScenarioFile.MAX_RATE, 100),
        section.decimal("answered", 0, 1, 0.3));
  }

  private Attack beacon(Attack.When when, YamlSection section) {
    IpAddress source = ScenarioFile.address(section, "source", inside());
    return new Beacon(
        when,
        source,
        target(section, source, outside()),
        section.integer("port", 1, 65_535, 443),
        ScenarioFile.duration(section, "period", Duration.ofMinutes(1), Duration.ofDays(30)),
        section.decimal("jitter", 0, 0.9, 0.05),
        section.number("bytes", 100, 1_000_000_000_000L, 700));
  }

  private Attack flood(Attack.When when, YamlSection section) {
    return new Flood(
        when,
        section.choice("kind", Flood.Kind.class, Flood.Kind.SYN),
        ScenarioFile.address(section, "target", inside()),
        section.integer("port", 1, 65_535, 443),
        section.integer("sources", 1, MAX_SOURCES, 5_000),
        section.decimal("flows_per_second", 0.0001, ScenarioFile.MAX_RATE, 2_000));
  }

  private Attack transfer(Attack.When when, YamlSection section, boolean outgoing) {
    IpAddress source = ScenarioFile.address(section, "source", outgoing ? inside() : outside());
    IpAddress target = target(section, source, outgoing ? outside() : inside());
    return new Transfer(
        when,
        outgoing,
        source,
        target,
        section.integer("port", 1, 65_535, 443),
        section.number("bytes", 1_000, 1L << 50, 1_000_000_000),
        section.integer("flows", 1, 1_000_000, 20));
  }
}
