package org.flowmon.deploy.generate;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.generate.ScenarioFile.Transport;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.scenario.Attack;
import org.flowmon.ingest.synthetic.scenario.Behaviour;
import org.flowmon.ingest.synthetic.scenario.Behaviour.Range;
import org.flowmon.ingest.synthetic.scenario.Behaviour.Rhythm;
import org.flowmon.ingest.synthetic.scenario.Party;
import org.flowmon.ingest.synthetic.scenario.Scenario;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;

/** The keys of a behaviour, which attacks that are made of one have too. */
final class BehaviourKeys {
  private static final int MOST_KNOWN = 4_096;
  private static final double MOST_BYTES = 1e15;
  private static final double MOST_MILLIS = 366 * 86_400_000.0;
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})([kMGT]?)");
  private static final String UNITS = "kMGT";

  private final Scenario.Network network;
  private final YamlSection section;
  private final Map<String, String> preset;

  /** Of a section; {@code preset} has defaults for keys that are not given. */
  private BehaviourKeys(Scenario.Network network, YamlSection section, Map<String, String> preset) {
    this.network = network;
    this.section = section;
    this.preset = preset;
  }

  static Behaviour of(
      Scenario.Network network,
      YamlSection section,
      Attack.When when,
      String type,
      Map<String, String> preset) {
    return new BehaviourKeys(network, section, preset).behaviour(when, type);
  }

  private Behaviour behaviour(Attack.When when, String type) {
    boolean ipv6 = section.bool("ipv6", false);
    Party clients = party("from", "inside", ipv6);
    Party servers = party("to", "outside", ipv6);
    if (isIpv4(clients) != isIpv4(servers)) {
      throw section.error("to", "expected addresses of the family of from");
    }
    Behaviour.Choice choice =
        new Behaviour.Choice(
            (int) number("known", 0, MOST_KNOWN, "0"),
            decimal("skew", 3, "0"),
            decimal("dead", 1, "0"));
    return new Behaviour(when, type, clients, servers, choice, pace(), talk());
  }

  private static boolean isIpv4(Party party) {
    return party.place() == Party.Place.LISTED ? party.first().isIpv4() : !party.ipv6();
  }

  private String text(String key, String expected, String otherwise) {
    return section.text(key, expected, preset.getOrDefault(key, otherwise));
  }

  private long number(String key, long least, long most, String otherwise) {
    return section.number(key, least, most, Long.parseLong(preset.getOrDefault(key, otherwise)));
  }

  private double decimal(String key, double most, String otherwise) {
    return section.decimal(key, 0, most, Double.parseDouble(preset.getOrDefault(key, otherwise)));
  }

  private Party party(String key, String otherwise, boolean ipv6) {
    String expected = "inside, outside, unused, an address or a prefix";
    String value = text(key, expected, otherwise);
    int inside = network.insideHosts();
    Party.Place place =
        switch (value) {
          case "inside" -> Party.Place.INSIDE;
          case "outside" -> Party.Place.OUTSIDE;
          case "unused" -> Party.Place.UNUSED;
          default -> Party.Place.LISTED;
        };
    IpAddress first = new IpAddress(0, 0);
    int population =
        switch (place) {
          case INSIDE -> inside;
          case OUTSIDE -> network.outsideHosts();
          case UNUSED -> Party.INSIDE_ADDRESSES - inside;
          case LISTED -> 1;
        };
    if (place == Party.Place.LISTED) {
      try {
        IpPrefix prefix = IpPrefix.parse(value.contains("/") ? value : value + "/" + bits(value));
        first = prefix.first();
        population = 1 << Math.min(16, (first.isIpv4() ? 32 : 128) - prefix.length());
      } catch (IllegalArgumentException e) {
        throw section.error(key, "expected " + expected + ", found '" + value + "'");
      }
    }
    if (population == 0) {
      throw section.error(key, "no address is unused: expected fewer network.inside_hosts");
    }
    long hosts = number(key + "_hosts", 1, population, "1"); // a preset's may be more
    return new Party(place, population, (int) Math.min(hosts, population), ipv6, first);
  }

  private static int bits(String address) {
    return address.contains(":") ? 128 : 32;
  }

  private Behaviour.Pace pace() {
    Duration every = duration("every", "1m");
    Duration at = section.durationOrNull("at");
    if (at == null && preset.containsKey("at")) {
      at = Duration.ofMillis((long) millis(preset.get("at")));
    }
    Rhythm rhythm =
        section.choice("pace", Rhythm.class, Rhythm.valueOf(preset.getOrDefault("pace", "DAILY")));
    return new Behaviour.Pace(
        rhythm,
        every,
        decimal("jitter", 1, "0.05"),
        Optional.ofNullable(at),
        range("flows", 1, 1e9, "1", BehaviourKeys::size),
        duration("within", "10s"),
        network.swing());
  }

  private Duration duration(String key, String otherwise) {
    Duration usual = Duration.ofMillis((long) millis(preset.getOrDefault(key, otherwise)));
    return ScenarioFile.duration(section, key, usual, ScenarioFile.MAX_DURATION);
  }

  private Behaviour.Talk talk() {
    Transport transport =
        section.choice(
            "protocol", Transport.class, Transport.valueOf(preset.getOrDefault("protocol", "TCP")));
    List<Integer> ports = transport == Transport.ICMP ? List.of(0) : ports();
    Behaviour.Talk talk =
        new Behaviour.Talk(
            transport.number,
            ports,
            (int) number("ports_each", 1, ports.size(), "1"),
            (int) number("source_port", 0, 65_535, "0"),
            range("request", 1, MOST_BYTES, "300..3k", BehaviourKeys::size),
            range("reply", 1, MOST_BYTES, "500..100k", BehaviourKeys::size),
            range("lasts", 1, MOST_MILLIS, "50ms..10s", BehaviourKeys::millis),
            decimal("unanswered", 1, "0"),
            decimal("refused", 1, "0"));
    if (talk.protocol() == SyntheticFlow.ICMP && talk.refused() > 0) {
      throw section.error("refused", "an echo request is answered or not: expected 0");
    }
    if (talk.unanswered() + talk.refused() > 1) {
      throw section.error("refused", "expected at most 1 together with unanswered");
    }
    return talk;
  }

  /** Such as {@code 443}, {@code 22,8000..8100}. */
  private List<Integer> ports() {
    String expected = "ports such as 443 or 22,8000..8100";
    String value = text("port", expected, "443");
    List<Integer> ports = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      Range range = range("port", part.strip(), expected, 0, 65_535, BehaviourKeys::size);
      for (int port = (int) range.least(); port <= range.most(); port++) {
        ports.add(port);
      }
    }
    return ports;
  }

  private Range range(
      String key, double least, double most, String otherwise, ToDoubleFunction<String> parser) {
    String expected = "a value, or two such as " + otherwise;
    return range(key, text(key, expected, otherwise), expected, least, most, parser);
  }

  private Range range(
      String key,
      String value,
      String expected,
      double least,
      double most,
      ToDoubleFunction<String> parser) {
    int dots = value.indexOf("..");
    try {
      double low = parser.applyAsDouble(dots < 0 ? value : value.substring(0, dots));
      double high = dots < 0 ? low : parser.applyAsDouble(value.substring(dots + 2));
      if (low >= least && high >= low && high <= most) {
        return new Range(low, high);
      }
    } catch (IllegalArgumentException | ConfigException e) {
      // reported below, with the expected value
    }
    throw section.error(key, "expected " + expected + ", found '" + value + "'");
  }

  private static double size(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(text);
    }
    int power = matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
    return new BigDecimal(matcher.group(1)).scaleByPowerOfTen(3 * power).doubleValue();
  }

  private static double millis(String text) {
    return YamlFile.parse("", "x: " + text).duration("x").toNanos() / 1e6;
  }
}
