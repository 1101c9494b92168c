package org.flowmon.deploy.cluster;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.flowmon.jobs.embedded.EmbeddedKafka;

/** A Kafka broker that runs until a signal ends it: {@code BrokerProcess DIRECTORY PORT}. */
final class BrokerProcess {
  private BrokerProcess() {}

  public static void main(String[] args) throws InterruptedException {
    EmbeddedKafka kafka = EmbeddedKafka.start(Path.of(args[0]), Integer.parseInt(args[1]));
    Runtime.getRuntime().addShutdownHook(new Thread(kafka::close, "stop-broker"));
    new CountDownLatch(1).await();
  }
}
