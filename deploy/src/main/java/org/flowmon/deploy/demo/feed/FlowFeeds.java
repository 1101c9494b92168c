package org.flowmon.deploy.demo.feed;

import java.io.IOException;
import org.flowmon.deploy.demo.service.DemoOptions;
import org.flowmon.deploy.demo.service.DemoServices;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.ingest.synthetic.TrafficModel;

/** Chooses the feed: files if there are any, otherwise the generator over UDP. */
public final class FlowFeeds {
  private FlowFeeds() {}

  public static FlowFeed open(DemoServices services, TrafficModel model, DemoOptions options)
      throws IOException {
    FlowPublisher publisher =
        FlowPublisher.open(
            PublisherOptions.of(services.kafka().bootstrapServers()).withTopic(DemoServices.FLOWS));
    try {
      return options.inputs().isEmpty()
          ? new ExporterFeed(publisher, model, options)
          : new FileFeed(publisher, options.inputs());
    } catch (IOException | RuntimeException e) {
      publisher.close();
      throw e;
    }
  }
}
