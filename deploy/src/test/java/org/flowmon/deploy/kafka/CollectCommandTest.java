package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CollectCommandTest {
  @TempDir Path folder;

  @Test
  void aBrokerThatDoesNotAnswerIsNamedWhileItIsWaitedFor() throws Exception {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    // Accepts connections and sends nothing: the client waits for its answer.
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String place = "127.0.0.1:" + silent.getLocalPort();
      Thread command =
          new Thread(
              () -> {
                var unused =
                    Flowmon.commandLine()
                        .execute("collect", "--bootstrap", place, "--listen", "127.0.0.1:0");
              });
      command.start();
      while (!text(err).contains(" trying for 30 s") && command.isAlive()) {
        Thread.sleep(10);
      }
      command.interrupt();
      command.join();
      String told = text(err);
      assertTrue(
          told.contains("no Kafka broker has answered at " + place + " yet; trying for 30 s\n"),
          told);
    } finally {
      System.setErr(before);
    }
  }

  @Test
  void aPortThatCannotBeIsTheCallersMistake() {
    for (String place : List.of("127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1:x")) {
      assertEquals(
          ExitCodes.USAGE,
          Flowmon.commandLine()
              .setErr(new PrintWriter(new StringWriter()))
              .execute("collect", "--bootstrap", "127.0.0.1:1", "--listen", place),
          place);
    }
  }

  @Test
  void optionsThatCannotBeAreNamedBeforeKafkaIsAsked() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    refused(ExitCodes.USAGE, "--sockets 9: expected 1 to 8", "--sockets", "9");
    refused(ExitCodes.USAGE, "--connections 0: expected 1 to 1024", "--connections", "0");
    refused(ExitCodes.USAGE, "expected udp://, tcp:// or tls://", "--listen", "sctp://[::1]:4739");
    refused(ExitCodes.USAGE, "add --tls-key FILE and --tls-cert", "--listen", "tls://:4740");
    refused(ExitCodes.USAGE, "add --listen tls://HOST:PORT", "--tls-key", file.toString());
    refused(
        ExitCodes.FAILED,
        "--tls-…: " + file + ": ",
        "--listen",
        "tls://:4740",
        "--tls-key",
        file.toString(),
        "--tls-cert",
        file.toString());
    refused(
        ExitCodes.USAGE,
        "--state keeps templates of exports by UDP, and --listen has no such address",
        "--state",
        "" + folder.resolve("templates"),
        "--listen",
        "tcp://127.0.0.1:0");
    refused(ExitCodes.FAILED, "--state " + file.resolve("x"), "--state", "" + file.resolve("x"));
    refused(ExitCodes.FAILED, "there is no such file", "--rules", "" + folder.resolve("none"));
  }

  @Test
  void theUnitOfTheDocsIsSoundAndItsOptionsExist() throws Exception {
    Path root = Path.of("").toAbsolutePath();
    String name = "flowmon-collector.service";
    while (!Files.exists(root.resolve("docs/examples").resolve(name))) {
      root = root.getParent();
    }
    String unit = Files.readString(root.resolve("docs/examples").resolve(name));
    String program = "/srv/flowmon/flowmon/flowmon";
    String start =
        unit.replace("\\\n", " ")
            .lines()
            .filter(line -> line.startsWith("ExecStart=" + program + " "))
            .findFirst()
            .orElseThrow();
    String[] arguments = start.substring(start.indexOf(' ') + 1).split(" +", -1);
    var parsed = Flowmon.commandLine().parseArgs(arguments); // an unknown option is an exception
    assertTrue(parsed.hasSubcommand());
    Path verify = Path.of("/usr/bin/systemd-analyze");
    if (Files.isExecutable(verify)) {
      Path copy = Files.writeString(folder.resolve(name), unit.replace(program, "/bin/true"));
      Process process =
          new ProcessBuilder(verify.toString(), "verify", copy.toString())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("said").toFile())
              .start();
      int code = process.waitFor();
      assertEquals("", Files.readString(folder.resolve("said")));
      assertEquals(0, code);
    }
  }

  private static void refused(int code, String why, String... options) {
    List<String> all = new ArrayList<>(List.of("collect", "--kafka", "127.0.0.1:1"));
    all.addAll(List.of(options));
    CommandRun run = CommandRun.of(all.toArray());
    assertEquals(code, run.code(), run.toString());
    assertTrue(run.err().contains(why), run.err());
  }

  private static String text(ByteArrayOutputStream err) {
    return err.toString(StandardCharsets.UTF_8);
  }
}
