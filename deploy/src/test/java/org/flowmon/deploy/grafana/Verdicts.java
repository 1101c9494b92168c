package org.flowmon.deploy.grafana;

import java.util.List;

/** Which verdicts of the analyses that come with flowmon are findings. */
final class Verdicts {
  /** What is usual, known or not decided. */
  static final List<String> BENIGN =
      List.of(
          "usual",
          "known",
          "no_history",
          "little_history",
          "unseen",
          "peers",
          "candidate",
          "mouse");

  static final List<String> FINDINGS =
      List.of(
          "amplification",
          "anomalous",
          "beacon",
          "broken_in",
          "brute_force",
          "clock_ahead",
          "clock_behind",
          "dark_space",
          "exfiltration",
          "flood",
          "long",
          "more",
          "new",
          "scan",
          "silent",
          "syn_flood",
          "tunnel",
          "wrong_times");

  private Verdicts() {}
}
