package org.flowmon.deploy.generate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.flowmon.deploy.generate.ScenarioFile.Transport;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.Hosts;
import org.flowmon.ingest.synthetic.scenario.Attack;
import org.flowmon.ingest.synthetic.scenario.Beacon;
import org.flowmon.ingest.synthetic.scenario.Behaviour;
import org.flowmon.ingest.synthetic.scenario.Behaviour.Rhythm;
import org.flowmon.ingest.synthetic.scenario.Flood;
import org.flowmon.ingest.synthetic.scenario.Scan;
import org.flowmon.ingest.synthetic.scenario.Scenario;
import org.flowmon.ingest.synthetic.scenario.Transfer;
import org.flowmon.jobs.config.YamlSection;

/** The attacks of a scenario. Parties that are not given follow from the seed. */
final class AttackKeys {
  private static final int OUTSIDE = 0xCB00_7100; // 203.0.113.0/24
  private static final int MAX_SOURCES = 131_072;

  // In presets: hosts that follow from the seed, and nearly the attack's duration.
  private static final String SOME_INSIDE = "@inside";
  private static final String SOME_OUTSIDE = "@outside";
  private static final String WHOLE_TIME = "@duration";

  private static final Map<Type, String> PRESETS =
      Map.of(
          Type.BRUTE_FORCE,
          "from=@outside to=@inside port=22 every=2s jitter=0.3 request=1200..1500"
              + " reply=1800..2100 lasts=1s..2s",
          Type.DNS_TUNNEL,
          "from=@inside to=@outside protocol=UDP port=53 every=500ms request=150..250"
              + " reply=250..900 lasts=20ms..80ms",
          Type.ICMP_TUNNEL,
          "from=@inside to=@outside protocol=ICMP every=1m jitter=0 request=200k..800k"
              + " reply=200k..800k lasts=59s",
          Type.LONG_CONNECTION,
          "from=@inside to=@outside request=20M reply=20M lasts=@duration",
          Type.RADIATION,
          "from=240.1.0.0/16 from_hosts=2000 to=unused to_hosts=20000"
              + " port=22,23,80,443,445,3389,5060,8080 ports_each=8 every=1h unanswered=1",
          Type.NEW_SERVICE,
          "from=outside from_hosts=20 to=@inside port=4444 every=5m",
          Type.NEW_TALKER,
          "from=unused to=outside to_hosts=20 every=1m");

  private final Scenario.Run run;
  private final Scenario.Network network;
  private final SplittableRandom random;

  /** The kind of an attack. */
  enum Type {
    SCAN,
    BEACON,
    DDOS,
    EXFILTRATION,
    ELEPHANT,
    BRUTE_FORCE,
    DNS_TUNNEL,
    ICMP_TUNNEL,
    LONG_CONNECTION,
    RADIATION,
    NEW_SERVICE,
    NEW_TALKER,
    BEHAVIOUR
  }

  AttackKeys(Scenario.Run run, Scenario.Network network) {
    this.run = run;
    this.network = network;
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

  /** What hosts do that is nobody's harm. */
  List<Behaviour> behaviours(List<YamlSection> sections) {
    List<Behaviour> behaviours = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (YamlSection section : sections) {
      Attack.When when = when(section, "behaviour_" + (behaviours.size() + 1));
      if (!names.add(when.name())) {
        throw section.error("name", "'" + when.name() + "' is another behaviour's name, too");
      }
      behaviours.add(BehaviourKeys.of(network, section, when, "", Map.of()));
      section.end();
    }
    return behaviours;
  }

  private Attack attack(Type type, Attack.When when, YamlSection section) {
    return switch (type) {
      case SCAN -> scan(when, section);
      case BEACON -> beacon(when, section);
      case DDOS -> flood(when, section);
      case EXFILTRATION -> transfer(when, section, true);
      case ELEPHANT -> transfer(when, section, false);
      default ->
          BehaviourKeys.of(
              network, section, when, type.name().toLowerCase(Locale.ROOT), preset(type, when));
    };
  }

  /** What an attack that is a behaviour is like, unless its keys say otherwise. */
  private Map<String, String> preset(Type type, Attack.When when) {
    Map<String, String> preset = new HashMap<>();
    for (String pair : PRESETS.getOrDefault(type, "").split(" ", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        preset.put(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    preset.replaceAll(
        (key, value) ->
            switch (value) {
              case SOME_INSIDE -> inside().toString();
              case SOME_OUTSIDE -> outside().toString();
              case WHOLE_TIME -> Math.max(1, when.duration().toMillis() - 1_000) + "ms";
              default -> value;
            });
    preset.put("pace", rhythm(type).name());
    return preset;
  }

  private static Rhythm rhythm(Type type) {
    return switch (type) {
      case LONG_CONNECTION -> Rhythm.ONCE;
      case BRUTE_FORCE, DNS_TUNNEL, ICMP_TUNNEL, NEW_TALKER -> Rhythm.PERIODIC;
      default -> Rhythm.STEADY;
    };
  }

  private IpAddress inside() {
    return new IpAddress(0, Hosts.insideV4(random.nextInt(network.insideHosts())));
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
