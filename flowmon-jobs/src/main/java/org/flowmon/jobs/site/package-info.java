/**
 * The states of groups that a site's job publishes: the messages, their topic, and the publisher
 * ({@code docs/format/states-topic.md}).
 */
package org.flowmon.jobs.site;
