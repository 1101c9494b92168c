package org.flowmon.jobs.alert;

import java.io.IOException;
import org.flowmon.jobs.config.job.WebhookConfig;

/**
 * The outcome of a HEAD request to a webhook, with the webhook's own headers and without an alert.
 * An answer shows that a server is reachable; only an alert shows whether the server would take
 * one.
 *
 * @param isReached whether there was an answer of any status but a redirect, which alerts do not
 *     follow
 * @param what the outcome, for people; without the URL and headers
 */
public record WebhookProbe(boolean isReached, String what) {
  /**
   * Sends the request, within the webhook's time limit.
   *
   * @throws IOException if its file of headers cannot be read or has an invalid line
   */
  public static WebhookProbe of(WebhookConfig webhook) throws IOException, InterruptedException {
    WebhookClient.Answer answer = new WebhookClient(webhook).probe();
    return new WebhookProbe(answer.status() > 0 && answer.status() / 100 != 3, answer.what());
  }
}
