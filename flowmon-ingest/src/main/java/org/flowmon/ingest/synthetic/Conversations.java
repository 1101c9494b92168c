package org.flowmon.ingest.synthetic;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

/**
 * What ordinary conversations are like.
 *
 * @param ipv6Share share of conversations in IPv6, 0 … 1
 * @param exportDelayMin from a flow's end to its export, as is {@code exportDelayMax}
 */
public record Conversations(
    List<Service> services,
    double ipv6Share,
    Sizes sizes,
    Duration exportDelayMin,
    Duration exportDelayMax) {
  /** The largest sum of the services' weights. */
  public static final int MAX_WEIGHT = 10_000;

  /** Weights in percent. */
  public static final List<Service> SERVICES =
      List.of(
          new Service(SyntheticFlow.TCP, 443, 42),
          new Service(SyntheticFlow.UDP, 53, 18),
          new Service(SyntheticFlow.UDP, 443, 11),
          new Service(SyntheticFlow.TCP, 80, 10),
          new Service(SyntheticFlow.UDP, 123, 3),
          new Service(SyntheticFlow.TCP, 22, 3),
          new Service(SyntheticFlow.TCP, 25, 2),
          new Service(SyntheticFlow.TCP, 993, 2),
          new Service(SyntheticFlow.TCP, 3389, 1),
          new Service(SyntheticFlow.TCP, 8080, 2),
          new Service(SyntheticFlow.UDP, 3478, 3),
          new Service(SyntheticFlow.ICMP, 0, 3));

  /** What servers offer; {@code weight} is its share of conversations, relative to the others'. */
  public record Service(int protocol, int port, int weight) {}

  /**
   * Bytes of a flow: a Pareto distribution, cut so that no single flow makes an elephant.
   *
   * @param paretoShape the smaller, the heavier the tail
   */
  public record Sizes(double smallest, double largest, double paretoShape) {
    public static final double SMALLEST = 250;
    public static final double LARGEST = 200_000;

    public static Sizes of(double paretoShape) {
      return new Sizes(SMALLEST, LARGEST, paretoShape);
    }
  }

  public Conversations {
    services = List.copyOf(services);
    int sum = services.stream().mapToInt(Service::weight).sum();
    if (sum < 1 || sum > MAX_WEIGHT) {
      throw new IllegalArgumentException(
          "the services' weights sum to " + sum + ", expected 1…" + MAX_WEIGHT);
    }
  }

  /** Each service as often as its weight says. */
  Service[] byWeight() {
    return services.stream()
        .flatMap(service -> Collections.nCopies(service.weight(), service).stream())
        .toArray(Service[]::new);
  }
}
