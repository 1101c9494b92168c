package org.flowmon.deploy.command;

import org.slf4j.LoggerFactory;

/** Logs errors only of Kafka and Flink, unless set otherwise: warnings are for operators. */
public final class ServicesLog {
  /** The services' level, in log4j2.properties. */
  private static final String LEVEL = "flowmon.log.services";

  /** The level of lines about messages that the job left out, in log4j2.properties. */
  private static final String REFUSED = "flowmon.log.refused";

  private ServicesLog() {}

  /** Also quiets lines about messages that the job leaves out, which the caller reports. */
  public static void quietOfRefusals() {
    if (System.getProperty(REFUSED) == null) {
      System.setProperty(REFUSED, "error");
    }
    quiet();
  }

  /**
   * Call it before the first logger is made, which reads it, and before threads that make loggers:
   * if several are first, SLF4J reports on standard error that it was not ready.
   */
  public static void quiet() {
    if (System.getProperty(LEVEL) == null) {
      System.setProperty(LEVEL, "error");
    }
    var unused = LoggerFactory.getILoggerFactory();
  }
}
