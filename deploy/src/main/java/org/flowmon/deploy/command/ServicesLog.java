package org.flowmon.deploy.command;

import org.slf4j.LoggerFactory;

/**
 * What Kafka and Flink log where they run in this process: errors alone, unless somebody asked for
 * more. Their warnings are for those who run a cluster.
 */
public final class ServicesLog {
  /** Their level, in log4j2.properties. */
  private static final String LEVEL = "flowmon.log.services";

  private ServicesLog() {}

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
