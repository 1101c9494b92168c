/**
 * What a site's job says of the states of its groups: the messages, their topic, and who publishes
 * them ({@code docs/format/states-topic.md}).
 */
package org.flowmon.jobs.site;
