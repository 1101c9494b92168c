package org.flowmon.deploy.generate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.synthetic.Conversations;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;
import org.flowmon.ingest.synthetic.scenario.DailySwing;
import org.flowmon.ingest.synthetic.scenario.Scenario;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;

/** Reads scenarios; {@code docs/generate.md} lists the keys. Every key has a default. */
final class ScenarioFile {
  /** Scenarios that come along. */
  static final List<String> BUNDLED =
      List.of("office", "scan", "beacon", "ddos", "exfiltration", "worst-case", "campus");

  static final Duration MAX_DURATION = Duration.ofDays(366);
  static final double MAX_RATE = 10_000_000;

  private static final int FIRST_ROUTER = 0xC000_0201; // 192.0.2.1
  private static final int MAX_ROUTERS = 200;

  /** What a service runs over. */
  enum Transport {
    TCP(SyntheticFlow.TCP),
    UDP(SyntheticFlow.UDP),
    ICMP(SyntheticFlow.ICMP);

    final int number;

    Transport(int number) {
      this.number = number;
    }
  }

  private ScenarioFile() {}

  /** By the name of one that comes along, or a file's. */
  static Scenario of(String name) {
    if (!BUNDLED.contains(name) && !Files.exists(Path.of(name))) {
      throw new UsageException(
          "there is no scenario '"
              + name
              + "': expected a file or one of "
              + String.join(", ", BUNDLED));
    }
    try {
      return of(BUNDLED.contains(name) ? bundled(name) : YamlFile.read(Path.of(name)));
    } catch (ConfigException e) {
      throw new UsageException(e.getMessage());
    }
  }

  static Scenario parse(String file, String text) {
    return of(YamlFile.parse(file, text));
  }

  /** The text of one that comes along. */
  static String textOf(String name) {
    if (!BUNDLED.contains(name)) {
      throw new UsageException(
          "there is no scenario '" + name + "': expected one of " + String.join(", ", BUNDLED));
    }
    return YamlFile.resourceText(resource(name));
  }

  private static YamlSection bundled(String name) {
    return YamlFile.readResource(resource(name));
  }

  private static String resource(String name) {
    return "/org/flowmon/deploy/generate/" + name + ".yaml";
  }

  private static Scenario of(YamlSection root) {
    String description = root.text("description", "a sentence", "");
    Duration duration = duration(root, "duration", Duration.ofMinutes(10), MAX_DURATION);
    Scenario.Run run =
        new Scenario.Run(
            root.number("seed", Long.MIN_VALUE, Long.MAX_VALUE, 1),
            time(root, "start"),
            duration,
            root.decimal("flows_per_second", 0, MAX_RATE, 1000));
    List<Conversations.Service> services = services(root);
    Scenario.Network network = network(section(root, "network"), services);
    AttackKeys attacks = new AttackKeys(run, network);
    Scenario scenario =
        new Scenario(
            description,
            run,
            network,
            attacks.behaviours(root.sections("behaviours")),
            attacks.listOf(root.sections("attacks")),
            routers(root, network.conversations().ipv6Share()),
            faults(section(root, "faults")));
    root.end();
    return scenario;
  }

  private static YamlSection section(YamlSection root, String key) {
    YamlSection section = root.sectionOrNull(key);
    return section == null ? YamlFile.parse(key, "{}") : section;
  }

  static Duration duration(YamlSection section, String key, Duration otherwise, Duration most) {
    Duration duration = section.duration(key, otherwise);
    if (duration.isZero() || duration.compareTo(most) > 0) {
      throw section.error(
          key,
          "expected more than nothing and at most "
              + YamlSection.text(most)
              + ", found "
              + YamlSection.text(duration));
    }
    return duration;
  }

  private static Instant time(YamlSection section, String key) {
    String value = section.text(key, "a time", "2026-01-05T08:00:00Z"); // a Monday
    try {
      return Instant.parse(value);
    } catch (DateTimeParseException e) {
      throw section.error(
          key, "expected a time such as 2026-01-05T08:00:00Z, found '" + value + "'");
    }
  }

  private static List<Conversations.Service> services(YamlSection root) {
    List<Conversations.Service> services = new ArrayList<>();
    int sum = 0;
    for (YamlSection section : root.sections("services")) {
      Transport transport = section.choice("protocol", Transport.class, Transport.TCP);
      int port = transport == Transport.ICMP ? 0 : section.integer("port", 1, 65_535, 443);
      int weight = section.integer("weight", 1, Conversations.MAX_WEIGHT, 1);
      section.end();
      sum += weight;
      if (sum > Conversations.MAX_WEIGHT) {
        throw section.error(
            "weight", "the services' weights sum to more than " + Conversations.MAX_WEIGHT);
      }
      services.add(new Conversations.Service(transport.number, port, weight));
    }
    return services.isEmpty() ? Conversations.SERVICES : services;
  }

  private static Scenario.Network network(
      YamlSection section, List<Conversations.Service> services) {
    YamlSection daily = section(section, "daily");
    YamlSection bytes = section(section, "bytes");
    double smallest =
        (double)
            bytes.number("smallest", 64, 1_000_000_000_000L, (long) Conversations.Sizes.SMALLEST);
    double largest =
        (double)
            bytes.number("largest", 64, 1_000_000_000_000L, (long) Conversations.Sizes.LARGEST);
    if (largest <= smallest) {
      throw bytes.error("largest", "expected more than smallest, which is " + (long) smallest);
    }
    Conversations.Sizes sizes =
        new Conversations.Sizes(smallest, largest, bytes.decimal("tail", 0.5, 10, 1.2));
    bytes.end();
    DailySwing swing =
        new DailySwing(
            daily.decimal("swing", 0, 0.99, 0),
            daily.decimal("peak_hour", 0, 24, 14),
            daily.decimal("weekend", 0.01, 10, 1));
    daily.end();
    Scenario.Network network =
        new Scenario.Network(
            section.integer("inside_hosts", 1, 65_536, 2_000),
            section.integer("outside_hosts", 1, 131_072, 20_000),
            section.decimal("skew", 0, 3, 0.8),
            section.bool("repeats", true),
            swing,
            new Conversations(
                services,
                section.decimal("ipv6", 0, 1, 0.1),
                sizes,
                Duration.ofMillis(100),
                Duration.ofMillis(600)));
    section.end();
    return network;
  }

  private static List<SimulatedRouter> routers(YamlSection root, double ipv6Share) {
    List<SimulatedRouter> routers = new ArrayList<>();
    for (YamlSection section : root.sections("routers")) {
      if (routers.size() == MAX_ROUTERS) {
        throw root.error("routers", "expected at most " + MAX_ROUTERS);
      }
      Protocol protocol = section.choice("protocol", Protocol.class, Protocol.IPFIX);
      int mostDomain = protocol == Protocol.NETFLOW_V5 ? 0xFFFF : Integer.MAX_VALUE;
      routers.add(
          new SimulatedRouter(
              protocol.version(),
              section.integer("domain", 0, mostDomain, routers.size() + 1),
              section.integer("sampling", 1, SimulatedRouter.MAX_SAMPLING_RATE, 1),
              section.integer("weight", 1, 1_000, 1),
              section.signedDuration("clock_skew", Duration.ZERO).toMillis(),
              address(section, "address", routerAddress(routers.size()))));
      section.end();
    }
    if (routers.isEmpty()) {
      return List.of(router(Protocol.IPFIX));
    }
    if (ipv6Share > 0
        && routers.stream().allMatch(router -> router.version() == SourceKind.NETFLOW_V5)) {
      throw root.error(
          "routers",
          "all are netflow_v5, which carries no IPv6, but network.ipv6 is "
              + ipv6Share
              + String.format(Locale.ROOT, "; expected another protocol, or ipv6: 0"));
    }
    return routers;
  }

  private static IpAddress routerAddress(int number) {
    return IpAddress.ofIpv4(FIRST_ROUTER + number);
  }

  /** The only one of a network. */
  static SimulatedRouter router(Protocol protocol) {
    return new SimulatedRouter(protocol.version(), 1, 1, 1, 0, routerAddress(0));
  }

  static IpAddress address(YamlSection section, String key, IpAddress otherwise) {
    String value = section.text(key, "an address", otherwise.toString());
    try {
      IpAddress address = IpAddress.parse(value);
      if (address.isIpv4() || !key.equals("address")) {
        return address;
      }
    } catch (IllegalArgumentException e) {
      // reported below
    }
    String expected = key.equals("address") ? "an IPv4 address" : "an IP address";
    throw section.error(key, "expected " + expected + ", found '" + value + "'");
  }

  private static Faults faults(YamlSection section) {
    Faults faults =
        new Faults(
            section.decimal("template_loss", 0, 1, 0),
            section.decimal("loss", 0, 1, 0),
            section.decimal("duplicates", 0, 1, 0),
            section.decimal("malformed", 0, 1, 0));
    section.end();
    return faults;
  }
}
