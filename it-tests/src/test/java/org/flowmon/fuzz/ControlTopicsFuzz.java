package org.flowmon.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.control.ControlMessages;

/** Messages of the topics that change analyses and that say what became of it. */
final class ControlTopicsFuzz implements FuzzTarget {
  @Override
  public String name() {
    return "control-topics";
  }

  @Override
  public String about() {
    return "messages that change analyses, and that say what became of it and what runs";
  }

  @Override
  public List<byte[]> seeds() {
    return List.of(
        bytes(
            "0{\"version\":1,\"analysis\":\"mice\",\"change\":7,\"status\":\"refused\","
                + "\"message\":\"no such column\"}"),
        bytes(
            "1{\"version\":1,\"said\":\"2026-09-21T13:46:40Z\",\"read\":7,\"running\":[{"
                + "\"analysis\":\"mice\",\"change\":7,\"members\":[\"a\",\"b\"]}]}"),
        bytes("2" + AnalysisConfig.textOf("mice")));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public long allocationLimit(byte[] input) {
    return (64L << 20) + 1024L * input.length;
  }

  @Override
  public long cpuLimit(byte[] input) {
    return 1_000_000_000L;
  }

  @Override
  public void run(byte[] input) {
    if (input.length < 1) {
      return;
    }
    byte[] message = Arrays.copyOfRange(input, 1, input.length);
    switch (input[0]) {
      case '0' -> ControlMessages.outcome(message);
      case '1' -> ControlMessages.running(message);
      default -> {
        try {
          ControlMessages.change(bytes("mice"), message);
        } catch (ConfigException e) {
          ExportsFuzz.require(e.getMessage() != null, "an error without a message");
        }
      }
    }
  }
}
