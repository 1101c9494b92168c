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
import java.util.List;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.Test;

class CollectCommandTest {
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

  private static String text(ByteArrayOutputStream err) {
    return err.toString(StandardCharsets.UTF_8);
  }
}
