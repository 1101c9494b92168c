package org.flowmon.deploy.command;

import org.slf4j.LoggerFactory;

/**
 * What Kafka and Flink log where they run in this process: errors alone, unless somebody asked for
 * more. Their warnings are for those who run a cluster.
 */
public final class ServicesLog {
  /** Their level, in log4j2.properties. */
  private static final String LEVEL = "flowmon.log.services";

  /** The level of lines about messages that the job left out, likewise. */
  private static final String REFUSED = "flowmon.log.refused";

  private ServicesLog() {}

  /** As {@link #quiet}, also of messages that the job leaves out: the caller tells of them. */
  public static void quietOfRefusals() {
    if (System.getProperty(REFUSED) == null) {
      System.setProperty(REFUSED, "error");
    }
    quiet();
  }

  /**
   * To be called before the first logger is made, which reads it, and before there are threads that
   * make some: where several are the first, SLF4J says on standard error that it was not ready.
   */
  public static void quiet() {
    if (System.getProperty(LEVEL) == null) {
      System.setProperty(LEVEL, "error");
    }
    var unused = LoggerFactory.getILoggerFactory();
  }
}
