/**
 * flowmon demo: the whole of flowmon in one JVM, from the exporters' datagrams to reports and an
 * archive, and the account of every flow at its end; start reading at Demo.
 */
package org.flowmon.deploy.demo;
