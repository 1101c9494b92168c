package org.flowmon.jobs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.StatesMessage;

/** Makes messages of sites hostile: damaged ones, and forged ones that are as sound as others. */
final class HostileStates {
  private HostileStates() {}

  /**
   * Adds after one of twenty messages a copy of it, whole, with a byte changed or cut, or garbage.
   */
  static List<Said> amongDamaged(List<Said> messages, Random random) {
    List<Said> all = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      Said said = messages.get(i);
      all.add(said);
      if (i % 20 == 10) {
        byte[] copy = said.bytes().clone();
        byte[] hostile =
            switch (i / 20 % 4) {
              case 0 -> copy;
              case 1 -> Arrays.copyOf(copy, random.nextInt(copy.length));
              case 2 -> new byte[random.nextInt(1_000)];
              default -> {
                copy[random.nextInt(copy.length)] ^= (byte) (1 + random.nextInt(255));
                yield copy;
              }
            };
        all.add(new Said(said.time(), hostile));
      }
    }
    return all;
  }

  /**
   * Adds forged messages, as sound as their originals: in five of each thirty seconds, after one of
   * two messages. In two other seconds, after all of that, each progress of one site is followed by
   * a progress with another publication.
   */
  static List<Said> amongForged(List<Said> messages, Random random) {
    List<Said> all = new ArrayList<>();
    int kind = 0;
    for (int i = 0; i < messages.size(); i++) {
      Said said = messages.get(i);
      all.add(said);
      StatesMessage message = StatesMessage.open(said.bytes());
      long at = said.time() % 30_000;
      if (i % 2 == 0 && at < 5_000) {
        all.add(new Said(said.time(), forged(message, kind++, random).toBytes()));
      } else if (at >= 9_000
          && at < 11_000
          && message.site().equals(SitesJobTest.SITES.get((int) (said.time() / 30_000 % 3)))
          && message instanceof StatesMessage.Progress progress) {
        all.add(new Said(said.time(), forged(progress, 4).toBytes()));
      }
    }
    return all;
  }

  private static StatesMessage forged(StatesMessage good, int kind, Random random) {
    return good instanceof StatesMessage.Progress progress
        ? forged(progress, kind)
        : forged((StatesMessage.Part) good, kind, random);
  }

  /**
   * Forges a progress: another publication, first by name or not; or a time that is not believed.
   */
  private static StatesMessage.Progress forged(StatesMessage.Progress good, int kind) {
    List<StatesMessage.Published> published = new ArrayList<>();
    for (StatesMessage.Published own : good.published()) {
      Publication of = own.publication();
      published.add(
          new StatesMessage.Published(
              new Publication(
                  "a_" + of.analysis(),
                  of.query(),
                  of.widthMicros(),
                  of.latenessMicros(),
                  of.timeColumn(),
                  of.spread()),
              Long.MIN_VALUE));
    }
    published.addAll(kind % 2 == 0 ? good.published() : List.of());
    long attempt = kind % 3 == 0 ? kind : good.attempt();
    return switch (kind % 5) {
      case 0 ->
          new StatesMessage.Progress(
              attempt, good.number() + 1_000, "nowhere", good.through(), good.published());
      case 1 ->
          new StatesMessage.Progress(
              attempt,
              good.number() + 1_000,
              good.site(),
              good.through() + 10 * 86_400 * TestFlow.SECOND, // more than is believed
              good.published());
      case 2 ->
          new StatesMessage.Progress(attempt, 1L << 40, good.site(), good.through(), published);
      case 3 -> new StatesMessage.Progress(attempt, 0, good.site(), good.through(), List.of());
      default ->
          new StatesMessage.Progress(
              attempt, good.number() + 1, good.site(), good.through(), published);
    };
  }

  /**
   * Forges a part: other bytes, of this window or one of ten days later; or a future window that
   * was not sent yet.
   */
  private static StatesMessage.Part forged(StatesMessage.Part good, int kind, Random random) {
    byte[] bytes = good.bytes().clone();
    for (int n = 0; n < 3 && bytes.length > 0; n++) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
    }
    boolean isToCome = kind % 3 == 2;
    long later = isToCome ? 2 * TestFlow.SECOND : kind % 2 == 0 ? 0 : 10 * 86_400 * TestFlow.SECOND;
    return new StatesMessage.Part(
        kind % 3 == 0 ? random.nextLong() : good.attempt(),
        good.number() + (kind % 3 == 1 ? 1_000 : 1),
        good.site(),
        good.publication(),
        good.windowEnd() + later,
        isToCome ? ArrivalCounts.NONE : good.counts(),
        isToCome ? 0 : good.length(),
        isToCome ? 0 : good.part(),
        isToCome ? 1 : good.parts(),
        isToCome ? new byte[0] : bytes);
  }
}
