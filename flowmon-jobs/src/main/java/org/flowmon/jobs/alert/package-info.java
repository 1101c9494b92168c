/**
 * Rules over reports that call somebody: windows are judged in their order, alerts fire and are
 * resolved, and go to Kafka and to webhooks ({@code docs/format/alerts.md}).
 */
package org.flowmon.jobs.alert;
