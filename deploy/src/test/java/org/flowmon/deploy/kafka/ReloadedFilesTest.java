package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Rules that change while a collector runs. */
class ReloadedFilesTest {
  private static final IpAddress ONE = IpAddress.parse("192.0.2.1");
  private static final IpAddress OTHER = IpAddress.parse("198.51.100.7");

  @TempDir Path folder;
  private final Queue<String> log = new ConcurrentLinkedQueue<>();

  private static RulesOption option(String... arguments) {
    RulesOption option = new RulesOption();
    new CommandLine(option).parseArgs(arguments);
    return option;
  }

  private void await(int lines) throws InterruptedException {
    while (log.size() < lines) {
      Thread.sleep(1);
    }
  }

  @Test
  void aGoodFileIsUsedAndABadOneIsNot() throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yaml"), "exporters: [192.0.2.0/24]\n");
    RulesOption option = option("--rules", file.toString(), "--sampling", "192.0.2.1=10");
    ReloadedFiles.Contents before = ReloadedFiles.Contents.of(List.of(file));
    RulesOption.Rules first = option.read();
    AtomicReference<RulesOption.Rules> used = new AtomicReference<>(first);
    try (ReloadedFiles files = new ReloadedFiles(log::add)) {
      files.add(
          "rules",
          before,
          () -> {
            RulesOption.Rules now = option.read();
            return now.changesSince(used.getAndSet(now));
          });
      files.start(Duration.ofMillis(5));
      assertTrue(used.get().rules().allows(ONE));
      Files.writeString(file, "exporters: [198.51.100.7]\nsampling: [\"198.51.100.7=100\"]\n");
      await(1);
      assertEquals(
          "rules: read again: exporters added: 198.51.100.7; exporters removed: 192.0.2.0/24;"
              + " sampling added: 198.51.100.7=100",
          log.peek());
      assertTrue(used.get().rules().allows(OTHER) && !used.get().rules().allows(ONE));
      Files.writeString(file, "exporters: [nowhere]\n");
      await(2);
      Thread.sleep(50); // it is told of once
      assertEquals(2, log.size(), log.toString());
      String told = log.stream().skip(1).findFirst().orElseThrow();
      assertTrue(told.startsWith("warning: rules: --rules " + file + ": "), told);
      assertTrue(told.endsWith("; what was read before stays in use"), told);
      assertTrue(used.get().rules().allows(OTHER));
      Files.delete(file);
      await(3);
      Files.writeString(file, "sampling: []\n");
      await(4);
      assertTrue(used.get().rules().allows(ONE), "without a list all are allowed");
      assertEquals("{rules=Count[done=2, refused=2]}", files.counts().toString());
    }
  }

  /** Whenever a file changes, the next look sees it: size and time may be as before. */
  @Test
  void changesBesideAReadAreSeen() throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yaml"), "0");
    FileTime time = Files.getLastModifiedTime(file);
    ReloadedFiles.Contents before = ReloadedFiles.Contents.of(List.of(file));
    Files.writeString(file, "1"); // after it was read for the first time
    Files.setLastModifiedTime(file, time);
    Queue<String> read = new ConcurrentLinkedQueue<>();
    try (ReloadedFiles files = new ReloadedFiles(log::add)) {
      files.add(
          "rules",
          before,
          () -> {
            String now = Files.readString(file);
            read.add(now);
            if (Integer.parseInt(now) < 5) {
              // While what was read is being used.
              Files.writeString(file, Integer.toString(Integer.parseInt(now) + 1));
              Files.setLastModifiedTime(file, time);
            }
            return now;
          });
      files.start(Duration.ofMillis(5));
      await(5);
      Thread.sleep(50); // and no more
    }
    assertEquals(List.of("1", "2", "3", "4", "5"), List.copyOf(read));
  }

  @Test
  void wrongRulesAreNamedWithTheirPlace() throws Exception {
    assertThrows(UsageException.class, () -> option("--exporters", "nowhere").read());
    for (String text :
        List.of(
            "exporters: []\n", // would let everyone in
            "exporter: [192.0.2.1]\n",
            "exporters: 192.0.2.1\n",
            "sampling: [192.0.2.1]\n",
            "- x\n",
            "exporters: [\n")) {
      Path file = Files.writeString(folder.resolve("bad.yaml"), text);
      CommandException thrown =
          assertThrows(
              CommandException.class, () -> option("--rules", file.toString()).read(), text);
      assertTrue(String.valueOf(thrown.getMessage()).startsWith("--rules"), text);
    }
  }

  @Test
  void optionsAndFileAddUp() throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yaml"), "exporters: [198.51.100.7]\n");
    RulesOption.Rules both = option("--rules", "" + file, "--exporters", "192.0.2.1").read();
    assertTrue(both.rules().allows(ONE) && both.rules().allows(OTHER));
  }
}
