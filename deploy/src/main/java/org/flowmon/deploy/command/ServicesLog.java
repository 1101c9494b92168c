package org.flowmon.deploy.command;

import org.slf4j.LoggerFactory;

/**
 * The log level of Kafka and Flink in this process: errors only, unless set otherwise. Their
 * warnings are for operators of a cluster.
 */
public final class ServicesLog {
  /** The services' level, in log4j2.properties. */
  private static final String LEVEL = "flowmon.log.services";

  /** The level of lines about messages that the job left out, in log4j2.properties. */
  private static final String REFUSED = "flowmon.log.refused";

  private ServicesLog() {}

  /**
   * Quiets the services like {@link #quiet}, and also lines about messages that the job leaves out:
   * the caller reports them.
   */
  public static void quietOfRefusals() {
    if (System.getProperty(REFUSED) == null) {
      System.setProperty(REFUSED, "error");
    }
    quiet();
  }

  /**
   * Quiets the services. Call it before the first logger is made, which reads it, and before
   * threads that make loggers: if several are first, SLF4J reports on standard error that it was
   * not ready.
   */
  public static void quiet() {
    if (System.getProperty(LEVEL) == null) {
      System.setProperty(LEVEL, "error");
    }
    var unused = LoggerFactory.getILoggerFactory();
  }
}
